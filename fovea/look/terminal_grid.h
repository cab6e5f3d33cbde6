// The heads of a stack as thumbnails in a terminal: layers down, heads across.
#pragma once

#include <string>

#include "fovea/look/atlas.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

// Each head's shades run from 0 to its own largest: a line says so. Heads that do not fit beside each other follow
// below; layers that would need more than max_rows lines are left out, and a line says that, too.
std::string terminal_grid(const Stack& stack, const TerminalOptions& options);

}  // namespace fovea::look
