// A map as JSON, for other programs:
//   {"title", "row_name", "column_name", "rows": [T], "columns": [S], "shape": [T, S] or [H, T, S],
//    "weights": nested lists of that shape, "chosen": [H][T], -1 for none (only for hard attention)}
// An atlas, whose `layers` and `heads` are the model's numbers of those that are there:
//   {"title", "attentions": [{"name", "row_name", "column_name", "rows": [T], "columns": [S], "layers", "heads",
//    "shape": [layers, H, T, S], "weights": nested lists of that shape, "chosen": [layers][H][T] (hard attention),
//    "row": the chosen row from 0 (only where there is one)}]}
// Numbers read back as the same f32.
#pragma once

#include <string>

#include "fovea/look/atlas.h"

namespace fovea::look {

std::string to_json(const Map& map);
// Throws for more than 48 million weights.
std::string to_json(const Atlas& atlas);

}  // namespace fovea::look
