// Help as a terminal shows it.
#pragma once

#include <string>
#include <string_view>

namespace fovea::cli {

// Lines that are wider than `columns` break between words, and go on below the description that they are part of. The examples
// at the end stay as they are, to be copied.
std::string folded_help(std::string_view help, int columns);
// Folded where standard output (1) or standard error (2) is a terminal; as it is elsewhere.
std::string terminal_help(std::string_view help, int descriptor = 1);

}  // namespace fovea::cli
