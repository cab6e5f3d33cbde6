#include "fovea/data/length_batches.h"

#include <algorithm>
#include <numeric>

namespace fovea::data {

std::vector<size_t> longest_first(std::span<const int64_t> lengths) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

std::vector<std::vector<size_t>> length_batches(std::span<const int64_t> lengths, const BatchLimits& limits) {
  const std::vector<size_t> order = longest_first(lengths);
  std::vector<std::vector<size_t>> batches;
  for (auto begin = order.begin(); begin != order.end();) {
    const int64_t fit = std::min(limits.rows, limits.places / std::max<int64_t>(1, lengths[*begin]));
    const auto end = begin + std::min<int64_t>(order.end() - begin, std::max<int64_t>(1, fit));
    batches.emplace_back(begin, end);
    begin = end;
  }
  return batches;
}

}  // namespace fovea::data
