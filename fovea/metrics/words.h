// The words of a line: what is between white space, as Python's str.split() finds them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fovea::metrics {

// The spaces of Unicode (no-break ones too), line and paragraph ends, tabs, the separators U+001C to U+001F.
inline bool is_space(uint32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

// Views into `line`. An invalid byte is part of a word.
std::vector<std::string_view> split_words(std::string_view line);

// Without the white space at its end.
std::string_view strip_end(std::string_view line);

}  // namespace fovea::metrics
