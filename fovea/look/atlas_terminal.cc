#include "fovea/look/atlas_terminal.h"

#include <algorithm>

#include "fovea/look/terminal_grid.h"
#include "fovea/look/terminal_row.h"
#include "fovea/look/width.h"

namespace fovea::look {

std::string to_terminal(const Atlas& atlas, const AtlasTerminalOptions& options) {
  atlas.check();
  std::string out = atlas.title.empty() ? "" : wrapped(atlas.title, std::max(options.terminal.max_width, 20));
  for (const Stack& stack : atlas.stacks) {
    if (!out.empty()) out += '\n';
    if (stack.row >= 0 && !options.grid)
      out += terminal_row(stack, options.terminal);
    else if (atlas.is_one_head() && !options.grid)
      out += to_terminal(head_map(stack, 0, 0), options.terminal);
    else
      out += terminal_grid(stack, options.terminal);
  }
  return out;
}

}  // namespace fovea::look
