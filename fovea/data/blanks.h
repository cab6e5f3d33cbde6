// Blanks separate words: the space, the tab and ASCII's other white space. Word i of an alignment is counted so.
#pragma once

#include <cstdint>
#include <string_view>

namespace fovea::data {

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Calls f(std::string_view word) for every word of the line; the views point into it.
template <typename F>
void for_each_word(std::string_view line, F&& f) {
  for (size_t i = 0; i < line.size();) {
    if (is_blank(line[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < line.size() && !is_blank(line[end])) ++end;
    f(line.substr(i, end - i));
    i = end;
  }
}

inline int32_t count_words(std::string_view line) {
  int32_t words = 0;
  for_each_word(line, [&](std::string_view) { ++words; });
  return words;
}

}  // namespace fovea::data
