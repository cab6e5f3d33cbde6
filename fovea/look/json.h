// A map as JSON, for other programs:
//   {"title", "row_name", "column_name", "rows": [T], "columns": [S], "shape": [T, S] or [H, T, S],
//    "weights": nested lists of that shape, "chosen": [H][T], -1 for none (only for hard attention)}
// Numbers read back as the same f32.
#pragma once

#include <string>

#include "fovea/look/map.h"

namespace fovea::look {

std::string to_json(const Map& map);

}  // namespace fovea::look
