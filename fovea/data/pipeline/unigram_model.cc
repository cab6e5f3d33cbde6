// Unigram (Kudo 2018): of all ways to cut a text into pieces, the one whose scores have the largest sum, found by Viterbi's algorithm. A
// character without a piece costs more than any piece; such characters that follow each other are unknown as one, or bytes ("<0x0A>").
#include <algorithm>
#include <array>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/byte_trie.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/piece_model.h"

namespace fovea::data {
namespace {

constexpr double kUnknownPenalty = 10;
constexpr size_t kMostBytes = size_t{1} << 30;

size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

class UnigramModel : public PieceModel {
 public:
  UnigramModel(const nlohmann::json& model, std::string_view source)
      : table_(read_vocab(list_of(model, "vocab", source), source)) {
    const int64_t unknown = index_of(value_of(model, "unk_id"), table_.size() - 1);
    check(unknown >= 0, "tokenizer", "{}: unk_id of the Unigram model is no id of its vocabulary", source);
    unknown_ = static_cast<int32_t>(unknown);
    for (int32_t id = 0; id < table_.size(); ++id)
      if (!table_.piece(id).empty()) trie_.add(table_.piece(id), id);
    unknown_score_ = *std::ranges::min_element(scores_) - kUnknownPenalty;
    bytes_.fill(-1);
    if (!flag_of(model, "byte_fallback", false, source)) return;
    for (int byte = 0; byte < 256; ++byte)
      bytes_[static_cast<size_t>(byte)] = table_.id_of(fmt::format("<0x{:02X}>", byte));
    falls_back_ = true;
  }

  const PieceTable& table() const override { return table_; }
  int32_t unknown() const override { return unknown_; }

  void tokenize(std::string_view word, std::vector<PieceToken>& tokens) const override {
    check(word.size() < kMostBytes, "tokenizer", "a text of {} bytes is too long", word.size());
    std::vector<Node> best(word.size() + 1);
    best[0].begin = 0;
    for (size_t at = 0; at < word.size();) {
      const size_t length = character_bytes(word[at]);
      const double so_far = best[at].score;
      bool whole = false;
      const auto offer = [&](size_t end, int32_t id, double score) {
        Node& node = best[end];
        if (node.begin < 0 || so_far + score > node.score)
          node = {so_far + score, static_cast<int32_t>(at), id};
      };
      trie_.for_each_prefix(word.substr(at), [&](int32_t id, size_t bytes) {
        offer(at + bytes, id, scores_[static_cast<size_t>(id)]);
        whole = whole || bytes == length;
      });
      if (!whole) offer(std::min(at + length, word.size()), unknown_, unknown_score_);
      at += length;
    }
    const size_t first = tokens.size();
    for (auto end = static_cast<int32_t>(word.size()); end > 0;) {
      const Node& node = best[static_cast<size_t>(end)];
      if (node.id == unknown_ && tokens.size() > first && tokens.back().id == unknown_)
        tokens.back().begin = node.begin;
      else
        tokens.push_back({node.id, node.begin, end});
      end = node.begin;
    }
    std::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
    settle_unknown(word, first, tokens);
  }

 private:
  struct Node {
    double score = 0;
    int32_t begin = -1, id = -1;  // the piece that ends here, on the best way
  };

  PieceTable read_vocab(const nlohmann::json& list, std::string_view source) {
    std::vector<std::string> pieces;
    for (const auto& item : list) {
      check(item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_number(), "tokenizer",
            "{}: the vocabulary of the Unigram model has an item that is no [piece, score]", source);
      pieces.push_back(item[0]);
      scores_.push_back(item[1]);
    }
    check(!pieces.empty(), "tokenizer", "{}: the vocabulary is empty", source);
    return PieceTable::of(std::move(pieces), source);
  }

  // What runs of unknown characters become: a piece of just that name, bytes, or the unknown id.
  void settle_unknown(std::string_view word, size_t first, std::vector<PieceToken>& tokens) const {
    if (std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end(),
                     [&](const PieceToken& token) { return token.id == unknown_; }))
      return;
    std::vector<PieceToken> settled;
    for (size_t i = first; i < tokens.size(); ++i) {
      const PieceToken& token = tokens[i];
      const std::string_view text =
          word.substr(static_cast<size_t>(token.begin), static_cast<size_t>(token.end - token.begin));
      if (const int32_t id = table_.id_of(text); token.id != unknown_ || id >= 0) {
        settled.push_back({id >= 0 ? id : token.id, token.begin, token.end});
      } else if (falls_back_ && std::ranges::all_of(text, [&](char c) { return byte_id(c) >= 0; })) {
        for (size_t b = 0; b < text.size(); ++b) {
          const auto at = token.begin + static_cast<int32_t>(b);
          settled.push_back({byte_id(text[b]), at, at + 1});
        }
      } else {
        settled.push_back(token);
      }
    }
    tokens.resize(first);
    tokens.insert(tokens.end(), settled.begin(), settled.end());
  }
  int32_t byte_id(char c) const { return bytes_[static_cast<unsigned char>(c)]; }

  std::vector<double> scores_;
  PieceTable table_;
  ByteTrie trie_;
  std::array<int32_t, 256> bytes_{};
  bool falls_back_ = false;
  int32_t unknown_ = 0;
  double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<PieceModel> read_unigram_model(const nlohmann::json& model, std::string_view source) {
  return std::make_unique<UnigramModel>(model, source);
}

}  // namespace fovea::data
