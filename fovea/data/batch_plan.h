// Which pairs of a dataset go together in batches, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/dataset.h"

namespace fovea::data {

struct BatchOptions {
  int64_t tokens =
      3000;          // rows * max(S, T) is at most this, <eos> and padding counted; a longer pair goes alone
  int64_t rows = 0;  // at most so many pairs; 0: any number
  int64_t window = 4000;  // so many pairs of the shuffled order are sorted by length and cut at a time
  uint64_t seed = 1;
};

// Every pair of the dataset once.
struct BatchPlan {
  std::vector<int32_t> order;   // pairs
  std::vector<int32_t> starts;  // batch k is order[starts[k]] to before order[starts[k + 1]]

  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
  std::span<const int32_t> batch(int64_t k) const;
};

// What counts of a pair, or of anything else that goes into batches.
struct Lengths {
  int64_t places = 0;  // max(S, T), <eos> counted: what the budget sees
  int64_t second = 0;  // by which equal ones are sorted
};
std::vector<Lengths> lengths_of(const Dataset& data);

// The batches of an epoch: the pairs shuffled, sorted by length within windows, cut into batches, the batches
// shuffled. A function of its arguments alone.
BatchPlan plan_epoch(std::span<const Lengths> lengths, const BatchOptions& options, int64_t epoch);
// The batches of all pairs sorted by length, for validation: no seed, no shuffling.
BatchPlan plan_sorted(std::span<const Lengths> lengths, const BatchOptions& options);

inline BatchPlan plan_epoch(const Dataset& data, const BatchOptions& options, int64_t epoch) {
  return plan_epoch(lengths_of(data), options, epoch);
}
inline BatchPlan plan_sorted(const Dataset& data, const BatchOptions& options) {
  return plan_sorted(lengths_of(data), options);
}

}  // namespace fovea::data
