// How wide a terminal is.
#pragma once

namespace fovea {

// Columns of the terminal that a file descriptor belongs to, or `otherwise` where it belongs to none. The environment variable
// COLUMNS sets the width of what is no terminal, and may make that of a terminal smaller.
int terminal_columns(int descriptor, int otherwise);

}  // namespace fovea
