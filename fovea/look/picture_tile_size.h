// How large a picture is drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "fovea/base/error.h"
#include "fovea/data/picture.h"

namespace fovea::look {

struct TileSize {
  double width = 0, height = 0;
};
// Its longer side is at most `longest`; small pictures are enlarged by a whole number, so that pixels stay sharp.
inline TileSize tile_size(const data::Picture& picture, int longest) {
  const auto width = static_cast<double>(picture.width), height = static_cast<double>(picture.height);
  const double scale = longest / std::max(width, height);
  const double by = scale >= 1 ? std::floor(scale) : scale;
  return {std::max(1.0, std::round(width * by)), std::max(1.0, std::round(height * by))};
}

// "0.43", "<.01", "0".
inline std::string short_weight(float weight) {
  return weight == 0 ? "0" : weight < 0.005f ? "<.01" : fmt::format("{:.2f}", weight);
}

}  // namespace fovea::look
