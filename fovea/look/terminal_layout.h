// How a map is laid out in the columns of a terminal.
#pragma once

#include <vector>

#include "fovea/look/terminal.h"

namespace fovea::look {

// Columns of the map that stand side by side: first, first + 1, ..., last - 1.
struct Block {
  int first = 0, last = 0;
  bool tail = false;  // each row ends with the key it looks at most
};

struct Layout {
  int labels = 0;             // terminal columns for the row labels
  std::vector<int> cells;     // terminal columns for each cell, with the space between cells
  bool numbered = false;      // map columns have numbers, named below
  bool percent = false;       // numbers are percent
  bool shaded = false;        // no numbers
  int tail = 0;               // terminal columns that name the key each row looks at most; 0: it is not named
  std::vector<Block> blocks;  // one below the other; more than one only where shades do not fit in one

  int inner(const Block& block) const;  // terminal columns of a block's cells
};

Layout lay_out(const Map& map, const TerminalOptions& options);
// "query \ key"
std::string corner_of(const Map& map);

}  // namespace fovea::look
