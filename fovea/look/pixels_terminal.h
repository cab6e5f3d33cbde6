// Pictures in a terminal: every character is two pixels, one above the other (▀), in colours of their own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

// A character that stands over two pixels, bright on what is there.
struct PixelMark {
  int row = 0, column = 0;  // of characters
  char character = ' ';
};

// Lines of text, `picture.width` columns each, for every two rows of an RGB picture. `depth` is not kNone.
std::vector<std::string> half_blocks(const data::Picture& picture, TerminalOptions::Color depth,
                                     std::span<const PixelMark> marks = {});

// Without colours: lines of shades ' .:-=+x#%@', a character for each value from 0 to 1, [lines, columns].
std::vector<std::string> shades(std::span<const float> values, int columns);

// How bright a picture is, from 0 to 1, [lines, columns].
std::vector<float> brightness(const data::Picture& picture, int lines, int columns);

}  // namespace fovea::look
