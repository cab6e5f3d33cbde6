// Pieces and their ids: the four special ones, then the others, the most frequent first. As a file: one piece in
// each line, in the order of the ids.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::data {

inline constexpr std::array<std::string_view, 4> kSpecialPieces = {"<pad>", "<unk>", "<sos>", "<eos>"};

class Vocabulary {
 public:
  // Pieces with more counts first, equal ones by their bytes; with special ones at most `size`, or all with 0.
  using Counts = std::unordered_map<std::string_view, int64_t>;
  static Vocabulary most_frequent(const Counts& counts, int64_t size);
  static Vocabulary from(std::string_view bytes, std::string_view source);

  int64_t size() const { return static_cast<int64_t>(pieces_.size()); }
  // kUnk where there is none. A piece that is written like a special one, "<eos>" in the text, is no special one.
  int32_t id_of(std::string_view piece) const;
  // Throws for an id that is none of these.
  const std::string& piece(int32_t id) const;
  std::string serialized() const;

 private:
  explicit Vocabulary(std::vector<std::string> pieces);

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t> ids_;  // from kSpecialPieces.size() on
};

}  // namespace fovea::data
