// An atlas for a terminal. Layers go down and heads across, each head a thumbnail:
//   encoder self
//        head 0       head 1
//     0  ██░░  ░      ░██░
//        ░░██         ░ ░██
// With a chosen row, what that row looks at: the mean over heads for each layer as a table, then a line for each head:
//   layer head │ ▁█▁▂▁▁▁ │ animal 0.61  it 0.20  street 0.10
// One head alone is a map.
#pragma once

#include <string>

#include "fovea/look/atlas.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

struct AtlasTerminalOptions {
  // How the terminal is. `head` is not looked at; at most max_rows lines of thumbnails, or of heads, for each attention.
  TerminalOptions terminal = {};
  bool grid = false;  // thumbnails also where a row is chosen, or one head is left
};

std::string to_terminal(const Atlas& atlas, const AtlasTerminalOptions& options = {});

}  // namespace fovea::look
