// Counts of many lines: the sum of those of each, on all threads. The lines are cut into blocks that do not depend on
// the number of threads, and the blocks are added in their order: the same bits on one thread or several.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea::metrics {

// Into `sum`, with sum += block for each. none() makes an empty block; add(block, i) adds line i to it.
template <typename Counts, typename None, typename Add>
void sum_lines(size_t lines, Counts& sum, None&& none, Add&& add) {
  constexpr int64_t kBlock = 128;
  std::vector<std::optional<Counts>> blocks((lines + kBlock - 1) / kBlock);
  parallel_ranges(static_cast<int64_t>(lines), kBlock, [&](int64_t begin, int64_t end) {
    Counts& block = blocks[static_cast<size_t>(begin / kBlock)].emplace(none());
    for (int64_t i = begin; i < end; ++i) add(block, static_cast<size_t>(i));
  });
  for (const std::optional<Counts>& block : blocks) sum += *block;
}

// Of hypotheses with one reference each: count(hypothesis, reference) returns the Counts of a line.
template <typename Counts, typename F>
Counts sum_pairs(std::string_view who, std::span<const std::string> hypotheses,
                 std::span<const std::string> references, F&& count) {
  check(hypotheses.size() == references.size(), who, "{} hypotheses and {} references: expected one for each",
        hypotheses.size(), references.size());
  Counts sum;
  sum_lines(
      hypotheses.size(), sum, [] { return Counts(); },
      [&](Counts& block, size_t i) { block += count(hypotheses[i], references[i]); });
  return sum;
}

}  // namespace fovea::metrics
