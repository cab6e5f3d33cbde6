// The title of a picture, which is never cut: it takes as many lines as it needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea::look {

// Lines of at most `columns`. "source → target" that does not fit in one has each side begin a line of its own.
std::vector<std::string> title_lines(std::string_view title, int columns);

struct Title {
  double height = 0;     // pixels that it takes; 0 where there is none
  std::string elements;  // of SVG, from (0, 0)
};
// In a picture of so many pixels.
Title svg_title(const std::string& title, double width);

}  // namespace fovea::look
