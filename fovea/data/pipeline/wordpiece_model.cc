// WordPiece: the longest piece that the word begins with, then the longest one of what is left among those with the mark
// of a continuation ("##"), and so on. A word that cannot be cut so, or that is too long, is unknown as a whole.
#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/byte_trie.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/piece_model.h"

namespace fovea::data {
namespace {

constexpr int64_t kMostCharacters =
    10'000;  // of a word, whatever the file says: the search grows with the square

class WordPieceModel : public PieceModel {
 public:
  WordPieceModel(const nlohmann::json& model, std::string_view source)
      : table_(PieceTable::read(value_of(model, "vocab"), source)),
        most_characters_(number_of(model, "max_input_chars_per_word", 100, kMostCharacters, source)) {
    const std::string unknown = text_of(model, "unk_token", "[UNK]", source);
    const std::string mark = text_of(model, "continuing_subword_prefix", "##", source);
    unknown_ = table_.id_of(unknown);
    check(unknown_ >= 0, "tokenizer", "{}: the vocabulary has no {}, which stands for unknown words", source,
          quote(unknown));
    for (int32_t id = 0; id < table_.size(); ++id) {
      const std::string& piece = table_.piece(id);
      if (piece.empty()) continue;
      starts_.add(piece, id);
      if (piece.size() > mark.size() && piece.starts_with(mark))
        continues_.add(piece.substr(mark.size()), id);
    }
  }

  const PieceTable& table() const override { return table_; }
  int32_t unknown() const override { return unknown_; }

  void tokenize(std::string_view word, std::vector<PieceToken>& tokens) const override {
    const size_t before = tokens.size();
    size_t at = 0;
    if (!too_long(word)) {
      while (at < word.size()) {
        const ByteTrie::Match match = (at == 0 ? starts_ : continues_).longest(word.substr(at));
        if (match.number < 0) break;
        tokens.push_back({match.number, static_cast<int32_t>(at), static_cast<int32_t>(at + match.length)});
        at += match.length;
      }
    }
    if (at == word.size()) return;
    tokens.resize(before);
    tokens.push_back({unknown_, 0, static_cast<int32_t>(word.size())});
  }

 private:
  bool too_long(std::string_view word) const {
    if (static_cast<int64_t>(word.size()) <= most_characters_) return false;
    int64_t characters = 0;
    for (const char c : word) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return characters > most_characters_;
  }

  PieceTable table_;
  ByteTrie starts_, continues_;
  int64_t most_characters_;
  int32_t unknown_ = -1;
};

}  // namespace

std::unique_ptr<PieceModel> read_wordpiece_model(const nlohmann::json& model, std::string_view source) {
  return std::make_unique<WordPieceModel>(model, source);
}

}  // namespace fovea::data
