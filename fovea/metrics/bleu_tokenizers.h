// How BLEU cuts lines into words, by sacreBLEU's names:
//   13a    as mteval-v13a: ASCII punctuation stands alone, but for apostrophes, hyphens and points in numbers
//   none   at white space only: for lines that are tokenised already
//   char   every character is a word
//   zh     every Chinese character is a word, the rest as 13a
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fovea::metrics {

struct BleuTokenizer {
  std::string_view name, what;
  // The line, which has no white space at its end, with white space between its words, in `out`.
  void (*spaced)(std::string_view line, std::string& out);
};

std::span<const BleuTokenizer> bleu_tokenizers();
// Throws for an unknown name.
const BleuTokenizer& bleu_tokenizer_named(std::string_view name);

}  // namespace fovea::metrics
