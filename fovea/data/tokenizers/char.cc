// Unicode characters (code points), blanks among them: decode() gives back every line whose characters are known.
#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"
#include "fovea/data/tokenizers/tokenizers.h"
#include "fovea/data/tokenizers/vocabulary.h"

namespace fovea::data {
namespace {

// A line end, which a line of a translation never has and a long text does. It ends a piece in the file, and so is written as two characters.
constexpr std::string_view kLineEnd = "\\n";

std::string_view written(std::string_view character) { return character == "\n" ? kLineEnd : character; }

std::string label(std::string_view character) {
  return std::string(is_blank(character[0]) ? kBlankLabel : character);
}

class CharTokenizer : public Tokenizer {
 public:
  explicit CharTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::string_view kind() const override { return "char"; }
  int64_t size() const override { return vocabulary_.size(); }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    for_each_character(line, [&](std::string_view character, uint32_t) {
      ids.push_back(vocabulary_.id_of(written(character)));
    });
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string line;
    for (const int32_t id : ids) {
      const std::string& character = vocabulary_.piece(id);
      if (!is_silent(id))
        line += id == kUnk ? kReplacementCharacter : character == kLineEnd ? "\n" : character;
    }
    return line;
  }
  std::vector<std::string> pieces(std::string_view line) const override {
    std::vector<std::string> pieces;
    for_each_character(
        line, [&](std::string_view character, uint32_t) { pieces.push_back(label(written(character))); });
    return pieces;
  }
  std::string piece(int32_t id) const override { return label(vocabulary_.piece(id)); }
  std::vector<Span> spans(std::string_view line) const override {
    std::vector<Span> spans;
    int32_t begin = 0;
    for_each_character(line, [&](std::string_view character, uint32_t) {
      const auto end = begin + static_cast<int32_t>(character.size());
      spans.push_back({begin, end});
      begin = end;
    });
    return spans;
  }
  std::string serialized() const override { return vocabulary_.serialized(); }

 private:
  Vocabulary vocabulary_;
};

}  // namespace

std::unique_ptr<Tokenizer> train_char(std::span<const std::string> lines, const TokenizerOptions& options) {
  Vocabulary::Counts counts;
  for (const std::string& line : lines)
    for_each_character(line, [&](std::string_view character, uint32_t) { ++counts[written(character)]; });
  return std::make_unique<CharTokenizer>(Vocabulary::most_frequent(counts, options.vocab_size));
}

std::unique_ptr<Tokenizer> char_from(std::string_view bytes, std::string_view source) {
  Vocabulary vocabulary = Vocabulary::from(bytes, source);
  for (int32_t id = kEos + 1; id < vocabulary.size(); ++id) {
    const std::string& piece = vocabulary.piece(id);
    check(piece == kLineEnd || first_character(piece).bytes == piece.size(), "tokenizer",
          "{}: line {} is {}: expected one character", source, id + 1, quote(piece));
  }
  return std::make_unique<CharTokenizer>(std::move(vocabulary));
}

}  // namespace fovea::data
