// A map as an SVG picture: a heat map with labelled axes, its values where they fit, and the colour scale
// beside it; several heads side by side as small maps that share one scale. Hidden cells (weight exactly 0)
// are hatched. Nothing is loaded from anywhere, and any label is safe.
#pragma once

#include <string>

#include "fovea/look/map.h"

namespace fovea::look {

struct SvgOptions {
  int head = kEveryHead;   // or one head, or kMean
  int label_columns = 18;  // longer labels are cut and carry the whole text as a tooltip
};

// Throws for more than 300,000 cells, which no viewer shows well.
std::string to_svg(const Map& map, const SvgOptions& options = {});

}  // namespace fovea::look
