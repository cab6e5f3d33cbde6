// Byte-pair encoding (Sennrich et al. 2016): a word begins as its characters; of all neighbours that the list of merges
// knows, those of the lowest rank become one piece, the leftmost first, until no merge fits. A heap of candidates makes it
// n log n in the length of the word, however long it is.
// Where words have an end ("</w>"), their last character is another piece than the same character elsewhere.
// A character without a piece becomes the pieces "<0x..>" of its bytes (byte_fallback), or else the unknown piece.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/flat_table.h"
#include "fovea/data/pipeline/piece_model.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

using nlohmann::json;

struct Merge {
  int32_t rank = 0, id = 0;
};

struct Symbol {
  int32_t id, begin, end;
  int32_t before, behind;  // neighbours; -1: none
};

struct Candidate {
  int32_t rank, at, id;
  // The top of a heap is the greatest: the lowest rank, and the leftmost of those.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
  }
};

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

class BpeModel : public PieceModel {
 public:
  BpeModel(const json& model, std::string_view source)
      : table_(PieceTable::read(value_of(model, "vocab"), source)),
        byte_fallback_(flag_of(model, "byte_fallback", false, source)),
        fuse_unknown_(flag_of(model, "fuse_unk", false, source)),
        whole_words_(flag_of(model, "ignore_merges", false, source)),
        end_(text_of(model, "end_of_word_suffix", "", source)) {
    check(text_of(model, "continuing_subword_prefix", "", source).empty(), "tokenizer",
          "{}: BPE with a continuing_subword_prefix is not supported", source);
    const json& dropout = value_of(model, "dropout");
    check(dropout.is_null() || dropout == 0, "tokenizer",
          "{}: BPE with dropout is not supported: expected null", source);
    const std::string unknown = text_of(model, "unk_token", "", source);
    unknown_ = unknown.empty() ? -1 : table_.id_of(unknown);
    check(unknown.empty() || unknown_ >= 0, "tokenizer",
          "{}: the vocabulary has no {}, which stands for unknown characters", source, quote(unknown));
    for (int32_t id = 0; id < table_.size(); ++id) {
      add_character(table_.piece(id), id, characters_);
      if (const std::string_view piece = table_.piece(id); !end_.empty() && piece.ends_with(end_))
        add_character(piece.substr(0, piece.size() - end_.size()), id, last_characters_);
    }
    for (int byte = 0; byte < 256; ++byte) bytes_[byte] = table_.id_of(fmt::format("<0x{:02X}>", byte));
    read_merges(list_of(model, "merges", source), source);
  }

  const PieceTable& table() const override { return table_; }
  int32_t unknown() const override { return unknown_; }
  std::string_view end_of_word() const override { return end_; }

  void tokenize(std::string_view word, std::vector<PieceToken>& tokens) const override {
    if (whole_words_) {
      if (const int32_t id = table_.id_of(word); id >= 0) {
        tokens.push_back({id, 0, static_cast<int32_t>(word.size())});
        return;
      }
    }
    thread_local std::vector<Symbol> symbols;
    thread_local std::vector<Candidate> heap;
    begin(word, symbols);
    merge(symbols, heap);
    for (int32_t i = symbols.empty() ? -1 : 0; i >= 0; i = symbols[static_cast<size_t>(i)].behind) {
      const Symbol& symbol = symbols[static_cast<size_t>(i)];
      tokens.push_back({symbol.id, symbol.begin, symbol.end});
    }
    if (symbols.capacity() > kKept) symbols = {}, heap = {};
  }

 private:
  static constexpr size_t kKept = 1 << 16;  // symbols that a thread keeps the memory of

  static void add_character(std::string_view piece, int32_t id, FlatTable<int32_t>& to) {
    size_t at = 0;
    if (piece.empty()) return;
    const uint32_t code = next_code(piece, at);
    if (at == piece.size()) to.at(code) = id;
  }

  // ["a b", ...] or [["a", "b"], ...], in the order of their ranks.
  void read_merges(const json& list, std::string_view source) {
    merges_ = FlatTable<Merge>(list.size());
    for (size_t rank = 0; rank < list.size(); ++rank) {
      const auto [left, right] = parts_of(list[rank], rank, source);
      const int32_t a = table_.id_of(left), b = table_.id_of(right), both = table_.id_of(left + right);
      if (a < 0 || b < 0 || both < 0)
        fail("tokenizer", "{}: merge {} makes {} of {} and {}: one of them is not in the vocabulary", source,
             rank + 1, quote(left + right), quote(left), quote(right));
      merges_.at(pair_key(a, b)) = {static_cast<int32_t>(rank), both};
    }
  }
  static std::pair<std::string, std::string> parts_of(const json& merge, size_t rank,
                                                      std::string_view source) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
      return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    const std::string text = merge.is_string() ? merge.get<std::string>() : "";
    const size_t blank = text.find(' ');
    if (blank == std::string::npos || text.find(' ', blank + 1) != std::string::npos)
      fail("tokenizer", "{}: merge {} is {}: expected two pieces with a blank between them", source, rank + 1,
           quote(merge.dump(-1, ' ', false, json::error_handler_t::replace)));
    return {text.substr(0, blank), text.substr(blank + 1)};
  }

  // The characters of the word. Unknown ones wait until the next known one: fuse_unk makes one of neighbours.
  void begin(std::string_view word, std::vector<Symbol>& symbols) const {
    symbols.clear();
    const auto add = [&](int32_t id, size_t from, size_t to) {
      symbols.push_back({id, static_cast<int32_t>(from), static_cast<int32_t>(to),
                         static_cast<int32_t>(symbols.size()) - 1, static_cast<int32_t>(symbols.size()) + 1});
    };
    bool waits = false;
    size_t wait_from = 0, wait_to = 0;
    for (size_t at = 0; at < word.size();) {
      const size_t from = at;
      const uint32_t code = next_code(word, at);
      const bool last = at == word.size() && !end_.empty();
      const int32_t* known = (last ? last_characters_ : characters_).find(code);
      if (known == nullptr && byte_fallback_ && has_bytes(word.substr(from, at - from))) {
        for (size_t i = from; i < at; ++i) add(bytes_[static_cast<unsigned char>(word[i])], i, i + 1);
      } else if (known == nullptr) {
        if (unknown_ < 0) continue;
        if (waits && !fuse_unknown_) add(unknown_, wait_from, wait_to);
        if (!waits || !fuse_unknown_) wait_from = from;
        waits = true;
        wait_to = at;
      } else {
        if (std::exchange(waits, false)) add(unknown_, wait_from, wait_to);
        add(*known, from, at);
      }
    }
    if (waits) add(unknown_, wait_from, wait_to);
    if (!symbols.empty()) symbols.back().behind = -1;
  }
  bool has_bytes(std::string_view character) const {
    return std::all_of(character.begin(), character.end(),
                       [&](char c) { return bytes_[static_cast<unsigned char>(c)] >= 0; });
  }

  void merge(std::vector<Symbol>& symbols, std::vector<Candidate>& heap) const {
    heap.clear();
    const auto at = [&](int32_t i) -> Symbol& { return symbols[static_cast<size_t>(i)]; };
    const auto consider = [&](int32_t i) {
      if (const Merge* found = merges_.find(pair_key(at(i).id, at(at(i).behind).id)))
        heap.push_back({found->rank, i, found->id});
      else
        return false;
      return true;
    };
    for (int32_t i = 0; i + 1 < static_cast<int32_t>(symbols.size()); ++i) consider(i);
    std::make_heap(heap.begin(), heap.end());
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      const Candidate top = heap.back();
      heap.pop_back();
      Symbol& left = at(top.at);
      if (left.id < 0 || left.behind < 0) continue;
      Symbol& right = at(left.behind);
      // The neighbours may have changed since: what they would make now must be the same.
      const Merge* now = merges_.find(pair_key(left.id, right.id));
      if (now == nullptr || now->id != top.id) continue;
      left.id = top.id;
      left.end = right.end;
      right.id = -1;
      left.behind = right.behind;
      if (left.behind >= 0) {
        at(left.behind).before = top.at;
        if (consider(top.at)) std::push_heap(heap.begin(), heap.end());
      }
      if (left.before >= 0 && consider(left.before)) std::push_heap(heap.begin(), heap.end());
    }
  }

  PieceTable table_;
  FlatTable<int32_t> characters_, last_characters_;  // by code
  FlatTable<Merge> merges_;                          // by pair_key
  int32_t bytes_[256];                               // of "<0x00>" to "<0xFF>"; -1: not there
  bool byte_fallback_, fuse_unknown_, whole_words_;
  std::string end_;  // of words
  int32_t unknown_ = -1;
};

}  // namespace

std::unique_ptr<PieceModel> read_bpe_model(const json& model, std::string_view source) {
  return std::make_unique<BpeModel>(model, source);
}

}  // namespace fovea::data
