#include "fovea/data/tokenizer.h"

#include <algorithm>

#include "fovea/data/blanks.h"

namespace fovea::data {

std::vector<int32_t> Tokenizer::words_of(std::string_view line) const {
  std::vector<int32_t> words;
  int32_t word = -1;  // the last word that begins before `seen`
  size_t seen = 0;
  const auto advance = [&](size_t end) {
    for (; seen < end; ++seen)
      if (!is_blank(line[seen]) && (seen == 0 || is_blank(line[seen - 1]))) ++word;
  };
  const int32_t last = count_words(line) - 1;
  for (const Span& span : spans(line)) {
    const auto end = static_cast<size_t>(span.end);
    auto first = static_cast<size_t>(span.begin);
    while (first < end && is_blank(line[first])) ++first;
    if (first < end) {
      advance(first + 1);
      words.push_back(word);
    } else {  // only blanks, or nothing at all, as SentencePiece's mark of the beginning
      advance(end);
      const bool in_word = end > 0 && !is_blank(line[end - 1]);
      words.push_back(std::min(in_word ? word : word + 1, last));
    }
  }
  return words;
}

std::vector<int32_t> Tokenizer::with_specials(std::span<const int32_t> ids) const {
  return {ids.begin(), ids.end()};
}

std::vector<int32_t> Tokenizer::with_specials(std::span<const int32_t> first,
                                              std::span<const int32_t> second) const {
  std::vector<int32_t> both(first.begin(), first.end());
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

std::vector<int32_t> Tokenizer::segments(size_t first, size_t second) const {
  return std::vector<int32_t>(first + second, 0);
}

}  // namespace fovea::data
