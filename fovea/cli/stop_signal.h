// Ctrl-C and SIGTERM as a request: the first one asks a verb to finish what it is at and save, one that comes half a second
// later or more ends the program at once.
#pragma once

namespace fovea::cli {

// From now on; to be called before other threads start. `message` is written to standard error at the first signal; it must outlive the program.
void catch_stop_signals(const char* message);
// Whether there was one.
bool stop_signalled();

}  // namespace fovea::cli
