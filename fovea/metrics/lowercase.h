// Small letters, as Python's str.lower() makes them: Unicode's mapping, U+0130 as i with a dot above, and the
// final sigma at the end of a word.
#pragma once

#include <string>
#include <string_view>

namespace fovea::metrics {

// Bytes that are not UTF-8 stay as they are.
std::string lowercase(std::string_view text);

}  // namespace fovea::metrics
