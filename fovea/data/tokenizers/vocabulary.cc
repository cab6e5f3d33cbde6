#include "fovea/data/tokenizers/vocabulary.h"

#include <algorithm>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"

namespace fovea::data {

Vocabulary::Vocabulary(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {
  ids_.reserve(pieces_.size());
  for (size_t id = kSpecialPieces.size(); id < pieces_.size(); ++id)
    ids_.emplace(pieces_[id], static_cast<int32_t>(id));
}

Vocabulary Vocabulary::most_frequent(const Counts& counts, int64_t size) {
  std::vector<std::pair<std::string_view, int64_t>> order(counts.begin(), counts.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> pieces(kSpecialPieces.begin(), kSpecialPieces.end());
  for (const auto& [piece, count] : order) {
    if (size > 0 && static_cast<int64_t>(pieces.size()) >= size) break;
    pieces.emplace_back(piece);
  }
  return Vocabulary(std::move(pieces));
}

Vocabulary Vocabulary::from(std::string_view bytes, std::string_view source) {
  std::vector<std::string> pieces;
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    const size_t number = pieces.size() + 1;
    check(!line.empty(), "tokenizer", "{}: line {} is empty: expected one piece in each line", source,
          number);
    check(find_invalid_utf8(line) == std::string_view::npos, "tokenizer",
          "{}: line {} is not UTF-8: expected one piece in each line", source, number);
    if (number <= kSpecialPieces.size())
      check(line == kSpecialPieces[number - 1], "tokenizer",
            "{}: line {} is {}: expected {}, as in every vocabulary that Fovea writes", source, number,
            quote(line), kSpecialPieces[number - 1]);
    pieces.emplace_back(line);
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
  }
  check(pieces.size() >= kSpecialPieces.size(), "tokenizer", "{}: {} lines: expected {} and more", source,
        pieces.size(), kSpecialPieces.size());
  Vocabulary vocabulary(std::move(pieces));
  for (size_t id = kSpecialPieces.size(); id < vocabulary.pieces_.size(); ++id)
    check(vocabulary.id_of(vocabulary.pieces_[id]) == static_cast<int32_t>(id), "tokenizer",
          "{}: line {} repeats {}: every piece must be there once", source, id + 1,
          quote(vocabulary.pieces_[id]));
  return vocabulary;
}

int32_t Vocabulary::id_of(std::string_view piece) const {
  const auto found = ids_.find(std::string(piece));
  return found == ids_.end() ? kUnk : found->second;
}

const std::string& Vocabulary::piece(int32_t id) const {
  check(id >= 0 && id < size(), "tokenizer", "id {}: expected 0 to {}", id, size() - 1);
  return pieces_[static_cast<size_t>(id)];
}

std::string Vocabulary::serialized() const {
  std::string bytes;
  for (const std::string& piece : pieces_) bytes.append(piece).push_back('\n');
  return bytes;
}

}  // namespace fovea::data
