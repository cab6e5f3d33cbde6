// What one query looks at in every head of a stack, in a terminal.
#pragma once

#include <string>

#include "fovea/look/atlas.h"
#include "fovea/look/terminal.h"

namespace fovea::look {

// The stack has a chosen row. First the mean over heads, a row for each layer; then a line for each layer and head: its
// weights over all keys as bars, where they fit, and the keys it looks at most. At most max_rows heads; a line says so.
std::string terminal_row(const Stack& stack, const TerminalOptions& options);

}  // namespace fovea::look
