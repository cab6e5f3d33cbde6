#include "fovea/metrics/words.h"

#include "fovea/base/utf8.h"

namespace fovea::metrics {

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  size_t begin = 0, at = 0;
  while (at < line.size()) {
    const Character c = first_character(line.substr(at));
    if (is_space(c.code)) {
      if (begin < at) words.push_back(line.substr(begin, at - begin));
      begin = at + c.bytes;
    }
    at += c.bytes;
  }
  if (begin < at) words.push_back(line.substr(begin));
  return words;
}

std::string_view strip_end(std::string_view line) {
  size_t end = 0, at = 0;
  while (at < line.size()) {
    const Character c = first_character(line.substr(at));
    at += c.bytes;
    if (!is_space(c.code)) end = at;
  }
  return line.substr(0, end);
}

}  // namespace fovea::metrics
