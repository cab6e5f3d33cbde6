// The terminal that standard output is.
#pragma once

#include "fovea/look/terminal.h"

namespace fovea::cli {

// None where standard output is no terminal. NO_COLOR and TERM=dumb are obeyed, as other programs do.
look::TerminalOptions::Color terminal_color();
// In columns; 100 where standard output is no terminal.
int terminal_width();

}  // namespace fovea::cli
