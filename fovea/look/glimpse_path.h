// The way of an eye over a picture: a model that looks at one point after the other, at several scales around it, and then says what it
// saw. As text, SVG, HTML and JSON:
//   {"label", "probability", "picture": a PNG file as the address of an image, "glimpses": [{"x", "y", "sizes": [...]}, ...]}
#pragma once

#include <string>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

struct Glimpse {
  float x = 0, y = 0;  // its centre in pixels of the picture, from the upper left corner; it may lie outside
  std::vector<float> sizes;  // sides of the squares around it in pixels, the smallest first
};

struct GlimpsePath {
  data::Picture picture;
  std::vector<Glimpse> glimpses;
  std::string label;  // what the model says at the end
  float probability = 0;
  std::string name = {};  // of the picture; it may be empty

  std::string title() const;  // "digit.png → 7 (0.98)"
  // Throws unless there is a picture, and one glimpse or more (1,000 at most) whose numbers are finite, with sizes above 0.
  void check() const;
};

// What the eye saw at one scale: the square around the centre, black outside of the picture, in as many pixels as the smallest scale has.
data::Picture retina(const GlimpsePath& path, size_t glimpse, size_t scale);

// The picture with the path over it, numbered, with the squares of each glimpse; beside it, what the eye saw at each.
std::string to_svg(const GlimpsePath& path);
// The picture with the squares of the smallest scale, numbered; then the points in words. No line is wider than max_width.
std::string to_terminal(const GlimpsePath& path, const TerminalOptions& options = {});
// One file that needs nothing else: the path step by step, by mouse and keyboard, and what the eye saw.
std::string to_html(const GlimpsePath& path);
std::string to_json(const GlimpsePath& path);

}  // namespace fovea::look
