// n-grams that two texts share: what BLEU and chrF count.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "fovea/metrics/id_table.h"

namespace fovea::metrics {

// How many n-grams a sequence of `length` symbols has.
inline int64_t ngram_count(size_t length, size_t n) {
  return length < n ? 0 : static_cast<int64_t>(length - n + 1);
}

// Words as numbers: the same number for the same word. Keep one for each thread: it reuses its memory.
class WordNumbers {
 public:
  // Forgets all words; `most` will come.
  void clear(size_t most) { ids_.clear(most); }
  std::vector<uint32_t> operator()(std::span<const std::string_view> words);

 private:
  struct Hash {
    uint64_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  IdTable<std::string_view, Hash> ids_;
};

// matches[n-1] = sum over the different n-grams g of the hypothesis of
//                min(times g stands in it, most times g stands in one of the references)
// for n = 1 to matches.size(). Takes time and memory in proportion to the lengths. Keep one for each thread.
class NgramMatcher {
 public:
  void operator()(std::span<const uint32_t> hypothesis, std::span<const std::vector<uint32_t>> references,
                  std::span<int64_t> matches);

 private:
  struct Hash {
    uint64_t operator()(uint64_t key) const {
      key *= 0x9E3779B97F4A7C15;
      return key ^ key >> 32;
    }
  };
  // The n-grams of the hypothesis by (number of the first n-1 symbols, last symbol).
  IdTable<uint64_t, Hash> ids_;
  // Number of the n-gram that starts at a position: of the hypothesis, then of each reference.
  std::vector<std::vector<uint32_t>> at_;
  std::vector<int64_t> in_hypothesis_, in_reference_, allowed_;  // by number of the n-gram
};

}  // namespace fovea::metrics
