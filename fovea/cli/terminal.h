// The terminal that standard output is.
#pragma once

#include <string>
#include <string_view>

#include "fovea/look/terminal.h"

namespace fovea::cli {

// None where standard output is no terminal. NO_COLOR and TERM=dumb are obeyed, as other programs do.
look::TerminalOptions::Color terminal_color();
// In columns; COLUMNS, or 100, where standard output is no terminal.
int terminal_width();
// A text and a newline, for standard output (1) or standard error (2). On a terminal lines break between words; elsewhere it
// stays one line.
std::string terminal_text(std::string_view text, int descriptor = 1);

}  // namespace fovea::cli
