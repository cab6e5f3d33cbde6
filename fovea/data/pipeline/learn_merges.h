// Learns pieces from counted words, for BPE and for WordPiece alike: each word is its characters at first; the pair of neighbours
// with the highest count becomes a piece, again and again. Of pairs with equal counts the one with the smaller ids is taken, as
// in Hugging Face's trainers, so that the same words give the same pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fovea::data {

struct WordHash {
  using is_transparent = void;
  size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
};
using WordCounts = std::unordered_map<std::string, int64_t, WordHash, std::equal_to<>>;

inline void count_word(WordCounts& counts, std::string_view word, int64_t times = 1) {
  if (const auto found = counts.find(word); found != counts.end())
    found->second += times;
  else
    counts.emplace(word, times);
}

struct LearnOptions {
  std::vector<std::string>
      first;         // pieces that are there before anything is learned, in this order: ids 0, 1, ...
  std::string mark;  // stands before a piece that does not begin a word: "##" for WordPiece
  int64_t size = 0;  // so many pieces at most, `first` included
};

struct LearnedPieces {
  std::vector<std::string>
      pieces;  // first; the characters, by their codes, with marks after those without; merges
  std::vector<std::pair<int32_t, int32_t>> merges;  // in the order in which they were learned
};

// Characters take half of the room behind `first` at most. The rarest ones beyond that are left out, and their words are cut
// there. Words are valid UTF-8.
LearnedPieces learn_merges(const WordCounts& words, const LearnOptions& options);

}  // namespace fovea::data
