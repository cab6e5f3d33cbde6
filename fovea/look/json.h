// A map as JSON, for other programs:
//   {"title", "row_name", "column_name", "rows": [T], "columns": [S], "shape": [T, S] or [H, T, S],
//    "weights": nested lists of that shape, "chosen": [H][T], -1 for none (only for hard attention)}
// An atlas, whose `layers` and `heads` are the model's numbers of those that are there:
//   {"title", "attentions": [{"name", "row_name", "column_name", "rows": [T], "columns": [S], "layers", "heads",
//    "shape": [layers, H, T, S], "weights": nested lists of that shape, "chosen": [layers][H][T] (hard attention),
//    "row": the chosen row from 0 (only where there is one)}]}
// A picture's map is an atlas with two keys more, whose columns are the places "row,column" of the grid, row by row:
//   {"title", "picture": a PNG file as the address of an image, "grid": [height, width], "attentions": ...}
// Numbers read back as the same f32.
#pragma once

#include <string>

#include "fovea/look/atlas.h"
#include "fovea/look/picture_map.h"

namespace fovea::look {

std::string to_json(const Map& map);
// Throws for more than 48 million weights.
std::string to_json(const Atlas& atlas);
// `with_picture`: false leaves "picture" out, where the reader has it.
std::string to_json(const PictureMap& map, bool with_picture = true);

}  // namespace fovea::look
