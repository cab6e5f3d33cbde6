#include "fovea/data/batch_plan.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/random.h"

namespace fovea::data {
namespace {

// Streams of the seed, so that the order of pairs shares no number with anything else that is drawn from it.
constexpr uint64_t kPairs = uint64_t{0xDA7A0001} << 32, kBatches = uint64_t{0xDA7A0002} << 32;

// Fisher and Yates.
template <typename T>
void shuffle(std::vector<T>& values, Random random) {
  for (size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1], values[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
}

void check_options(const BatchOptions& options) {
  check(options.tokens > 0 && options.rows >= 0 && options.window > 0, "data",
        "batches of {} tokens and {} rows in windows of {}: expected positive numbers", options.tokens,
        options.rows, options.window);
}

using Rows = std::span<const Lengths>;

int64_t places_of(Rows rows, int32_t i) { return rows[static_cast<size_t>(i)].places; }

// By max(S, T), then by T; equal pairs keep their order. Sorted by T alone, Multi30k's sources would take a fifth more
// places.
void sort_by_length(Rows rows, std::span<int32_t> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [&](int32_t a, int32_t b) {
    const Lengths &x = rows[static_cast<size_t>(a)], &y = rows[static_cast<size_t>(b)];
    return x.places != y.places ? x.places < y.places : x.second < y.second;
  });
}

// Cuts order[begin, end) into batches; each one's end goes to `starts`.
void cut(Rows lengths, const BatchOptions& options, std::span<const int32_t> order, size_t begin, size_t end,
         std::vector<int32_t>& starts) {
  int64_t rows = 0, longest = 0;
  for (size_t i = begin; i < end; ++i) {
    const int64_t length = places_of(lengths, order[i]);
    const bool full = (rows + 1) * std::max(longest, length) > options.tokens || rows == options.rows;
    if (rows > 0 && full) {
      starts.push_back(static_cast<int32_t>(i));
      rows = longest = 0;
    }
    ++rows;
    longest = std::max(longest, length);
  }
  starts.push_back(static_cast<int32_t>(end));
}

std::vector<int32_t> all_pairs(Rows rows) {
  std::vector<int32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

std::vector<Lengths> lengths_of(const Dataset& data) {
  std::vector<Lengths> lengths;
  for (int64_t i = 0; i < data.size(); ++i) {
    const auto source = static_cast<int64_t>(data.source(i).size()),
               target = static_cast<int64_t>(data.target(i).size());
    lengths.push_back({std::max(source, target) + 1, target});
  }
  return lengths;
}

std::span<const int32_t> BatchPlan::batch(int64_t k) const {
  const auto begin = static_cast<size_t>(starts[static_cast<size_t>(k)]);
  const auto end = static_cast<size_t>(starts[static_cast<size_t>(k) + 1]);
  return std::span(order).subspan(begin, end - begin);
}

BatchPlan plan_epoch(std::span<const Lengths> lengths, const BatchOptions& options, int64_t epoch) {
  check_options(options);
  BatchPlan sorted{.order = all_pairs(lengths), .starts = {0}};
  shuffle(sorted.order, Random(options.seed, kPairs + static_cast<uint64_t>(epoch)));
  const auto window = static_cast<size_t>(options.window);
  for (size_t begin = 0; begin < sorted.order.size(); begin += window) {
    const size_t end = std::min(begin + window, sorted.order.size());
    sort_by_length(lengths, std::span(sorted.order).subspan(begin, end - begin));
    cut(lengths, options, sorted.order, begin, end, sorted.starts);
  }
  std::vector<int32_t> batches(static_cast<size_t>(sorted.size()));
  std::iota(batches.begin(), batches.end(), 0);
  shuffle(batches, Random(options.seed, kBatches + static_cast<uint64_t>(epoch)));
  BatchPlan plan{.order = {}, .starts = {0}};
  plan.order.reserve(sorted.order.size());
  plan.starts.reserve(sorted.starts.size());
  for (const int32_t k : batches) {
    const auto pairs = sorted.batch(k);
    plan.order.insert(plan.order.end(), pairs.begin(), pairs.end());
    plan.starts.push_back(static_cast<int32_t>(plan.order.size()));
  }
  return plan;
}

BatchPlan plan_sorted(std::span<const Lengths> lengths, const BatchOptions& options) {
  check_options(options);
  BatchPlan plan{.order = all_pairs(lengths), .starts = {0}};
  sort_by_length(lengths, plan.order);
  cut(lengths, options, plan.order, 0, plan.order.size(), plan.starts);
  return plan;
}

}  // namespace fovea::data
