// Where a model looked in a picture, for a terminal: the picture, then the picture with each attention laid over it, side by side as many
// as fit, the others in further rows below.
//
//   ▀▀▀▀▀▀▀▀▀▀▀▀  ▀▀▀▀▀▀▀▀▀▀▀▀  ▀▀▀▀▀▀▀▀▀▀▀▀
//   ▀▀▀▀▀▀▀▀▀▀▀▀  ▀▀▀▀▀▀▀▀▀▀▀▀  ▀▀▀▀▀▀▀▀▀▀▀▀
//                     a 0.12      small 0.31
//
// In colour every character is two pixels. Without colours, shades: the picture's brightness, then the weights alone.
#pragma once

#include <string>

#include "fovea/look/picture_map.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

// options.head is not looked at; at most 5 * max_rows lines of pictures, and a line that says what is left out. No line is wider than
// max_width (20 at least). Ends in a newline.
std::string to_terminal(const PictureMap& map, const TerminalOptions& options = {});

}  // namespace fovea::look
