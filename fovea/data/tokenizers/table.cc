#include <algorithm>
#include <array>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"
#include "fovea/data/pipeline/pipeline_tokenizer.h"
#include "fovea/data/tokenizers/tokenizers.h"

namespace fovea::data {
namespace {

struct Kind {
  std::string_view name;
  std::unique_ptr<Tokenizer> (*train)(std::span<const std::string>, const TokenizerOptions&);
  std::unique_ptr<Tokenizer> (*from)(std::string_view bytes, std::string_view source);
};

constexpr std::array kTable = {
    Kind{"word", train_word, word_from},
    Kind{"char", train_char, char_from},
    Kind{"byte", train_byte, byte_from},
    Kind{"spm", train_sentencepiece, sentencepiece_from},
    Kind{"wordpiece", train_wordpiece, wordpiece_from},
    Kind{"bpe", train_bpe, bpe_from},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kTable.size()> names;
  std::transform(kTable.begin(), kTable.end(), names.begin(), [](const Kind& kind) { return kind.name; });
  return names;
}();

const Kind& find_kind(std::string_view name) {
  for (const Kind& kind : kTable)
    if (kind.name == name) return kind;
  fail("tokenizer", "{} is no kind of tokenizer: expected {}", quote(name),
       fmt::join(nearest(name, {kNames.begin(), kNames.end()}, kNames.size()), ", "));
}

}  // namespace

std::span<const std::string_view> tokenizer_kinds() { return kNames; }

std::unique_ptr<Tokenizer> train_tokenizer(std::span<const std::string> lines,
                                           const TokenizerOptions& options) {
  const Kind& kind = find_kind(options.kind);
  check(options.vocab_size == 0 || options.vocab_size > kEos + 1, "tokenizer",
        "a vocabulary of {}: expected more than the {} special ids", options.vocab_size, kEos + 1);
  for (size_t i = 0; i < lines.size(); ++i)
    check(find_invalid_utf8(lines[i]) == std::string_view::npos, "tokenizer", "line {} is not UTF-8", i + 1);
  check(
      std::any_of(lines.begin(), lines.end(), [](const std::string& line) { return count_words(line) > 0; }),
      "tokenizer", "the text has no words: there is nothing to learn from");
  return kind.train(lines, options);
}

std::unique_ptr<Tokenizer> tokenizer_from(std::string_view kind, std::string_view bytes,
                                          std::string_view source) {
  if (kind == "marian") return marian_from(bytes, source);  // cannot be learned, and is in no list of kinds
  if (kind == "unigram") return pipeline_from("unigram", bytes, source);  // nor this one
  return find_kind(kind).from(bytes, source);
}

}  // namespace fovea::data
