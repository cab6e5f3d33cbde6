// An atlas as an SVG picture. Layers go down and heads across, each head a small heat map; of long inputs, a mean of
// neighbours. With a chosen row, one panel for each layer: what that row looks at, a line for each head. One head alone is
// a map. Any label is safe.
#pragma once

#include <string>

#include "fovea/look/atlas.h"

namespace fovea::look {

struct AtlasSvgOptions {
  bool shared_scale =
      false;          // one colour scale for all heads of an attention; otherwise each head has its own
  bool grid = false;  // all heads also where a row is chosen, or one head is left
};

// Throws for more than 4,000 heads, and for a chosen row with more than 300,000 weights.
std::string to_svg(const Atlas& atlas, const AtlasSvgOptions& options = {});

}  // namespace fovea::look
