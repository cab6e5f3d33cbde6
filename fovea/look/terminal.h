// A map for a terminal: one row of cells for each query.
//   English to Korean
//   query \ key │    I   am    a student │
//   나는        │ 0.91 0.05 0.02    0.02 │
// Where labels do not fit above their columns, columns are numbered and named below; where numbers do not
// fit, cells are shades, and each row names the key it looks at most; where even those do not fit, the map goes on below in
// further blocks of columns, each with the row labels.
#pragma once

#include <string>

#include "fovea/look/map.h"

namespace fovea::look {

struct TerminalOptions {
  enum class Color { kNone, k256, kTrue };
  Color color = Color::kNone;
  bool dark = true;    // the terminal's background
  int max_width = 80;  // columns of the terminal; at least 20 are used
  int head = kMean;    // or a head, or kEveryHead: one map below the other
  int max_rows = 200;  // of one map; of all heads together five times as many. A line says what is left out.
};

// No line is wider than max_width. Every line of a block has the same width; an empty line parts blocks. Ends in a newline.
std::string to_terminal(const Map& map, const TerminalOptions& options = {});

}  // namespace fovea::look
