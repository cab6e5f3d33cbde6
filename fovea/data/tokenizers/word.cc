// Words are what is between blanks. decode() writes one space between two of them.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/blanks.h"
#include "fovea/data/tokenizers/tokenizers.h"
#include "fovea/data/tokenizers/vocabulary.h"

namespace fovea::data {
namespace {

class WordTokenizer : public Tokenizer {
 public:
  explicit WordTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::string_view kind() const override { return "word"; }
  int64_t size() const override { return vocabulary_.size(); }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    for_each_word(line, [&](std::string_view word) { ids.push_back(vocabulary_.id_of(word)); });
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string line;
    for (const int32_t id : ids) {
      const std::string& word = vocabulary_.piece(id);
      if (is_silent(id)) continue;
      if (!line.empty()) line += ' ';
      line += word;
    }
    return line;
  }
  std::vector<std::string> pieces(std::string_view line) const override {
    std::vector<std::string> words;
    for_each_word(line, [&](std::string_view word) { words.emplace_back(word); });
    return words;
  }
  std::string piece(int32_t id) const override { return vocabulary_.piece(id); }
  std::vector<Span> spans(std::string_view line) const override {
    std::vector<Span> spans;
    for_each_word(line, [&](std::string_view word) {
      const auto begin = static_cast<int32_t>(word.data() - line.data());
      spans.push_back({begin, begin + static_cast<int32_t>(word.size())});
    });
    return spans;
  }
  std::string serialized() const override { return vocabulary_.serialized(); }

 private:
  Vocabulary vocabulary_;
};

}  // namespace

std::unique_ptr<Tokenizer> train_word(std::span<const std::string> lines, const TokenizerOptions& options) {
  Vocabulary::Counts counts;
  for (const std::string& line : lines) for_each_word(line, [&](std::string_view word) { ++counts[word]; });
  return std::make_unique<WordTokenizer>(Vocabulary::most_frequent(counts, options.vocab_size));
}

std::unique_ptr<Tokenizer> word_from(std::string_view bytes, std::string_view source) {
  Vocabulary vocabulary = Vocabulary::from(bytes, source);
  for (int32_t id = kEos + 1; id < vocabulary.size(); ++id)
    check(std::none_of(vocabulary.piece(id).begin(), vocabulary.piece(id).end(), is_blank), "tokenizer",
          "{}: line {} is {}: expected one word", source, id + 1, quote(vocabulary.piece(id)));
  return std::make_unique<WordTokenizer>(std::move(vocabulary));
}

}  // namespace fovea::data
