#include "fovea/metrics/ngrams.h"

#include <algorithm>

namespace fovea::metrics {

std::vector<uint32_t> WordNumbers::operator()(std::span<const std::string_view> words) {
  std::vector<uint32_t> numbers(words.size());
  for (size_t i = 0; i < words.size(); ++i) numbers[i] = ids_.find_or_add(words[i]);
  return numbers;
}

void NgramMatcher::operator()(std::span<const uint32_t> hypothesis,
                              std::span<const std::vector<uint32_t>> references, std::span<int64_t> matches) {
  std::fill(matches.begin(), matches.end(), 0);
  at_.resize(std::max(at_.size(), references.size() + 1));
  at_[0].assign(hypothesis.size(), 0);  // every n-gram starts with the same empty one
  for (size_t r = 0; r < references.size(); ++r) at_[r + 1].assign(references[r].size(), 0);

  for (size_t n = 1; n <= std::min(matches.size(), hypothesis.size()); ++n) {
    const auto key = [n](const std::vector<uint32_t>& at, std::span<const uint32_t> symbols, size_t i) {
      return uint64_t{at[i]} << 32 | symbols[i + n - 1];
    };
    const size_t here = hypothesis.size() - n + 1;
    ids_.clear(here);
    in_hypothesis_.assign(here, 0);
    for (size_t i = 0; i < here; ++i) {
      at_[0][i] = ids_.find_or_add(key(at_[0], hypothesis, i));
      ++in_hypothesis_[at_[0][i]];
    }
    allowed_.assign(ids_.size(), 0);
    for (size_t r = 0; r < references.size(); ++r) {
      std::vector<uint32_t>& at = at_[r + 1];
      in_reference_.assign(ids_.size(), 0);
      for (size_t i = 0; i + n <= references[r].size(); ++i) {
        if (at[i] != kNoId) at[i] = ids_.find(key(at, references[r], i));
        if (at[i] != kNoId) allowed_[at[i]] = std::max(allowed_[at[i]], ++in_reference_[at[i]]);
      }
    }
    for (uint32_t id = 0; id < ids_.size(); ++id)
      matches[n - 1] += std::min(in_hypothesis_[id], allowed_[id]);
  }
}

}  // namespace fovea::metrics
