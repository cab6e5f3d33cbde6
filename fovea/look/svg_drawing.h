// Parts of an SVG picture that stand below each other.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/svg.h"

namespace fovea::look {

// Elements in pixels from (0, 0). They may fill with url(#hidden), the hatching of hidden cells.
struct Drawing {
  double width = 0, height = 0;
  double font = 12;  // the size of text that names none
  std::string elements;
};

Drawing drawing_of(const Map& map, const SvgOptions& options);

// The whole picture, on white.
std::string svg_of(const std::vector<Drawing>& drawings);

}  // namespace fovea::look
