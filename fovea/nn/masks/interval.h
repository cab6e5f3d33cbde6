// Masks that leave each query one interval of keys. Intervals cut with each other are intervals, so any combination of these costs the
// fused kernels two numbers a query.
#pragma once

#include <functional>

#include "fovea/nn/masks/mask.h"

namespace fovea::nn {

// A reach beyond any sequence: sums with it do not overflow.
constexpr int64_t kFar = int64_t{1} << 40;

struct Interval {
  int64_t first, last;  // first <= j < last, of any size
};

// The same interval for every batch entry and head: f(position of the query).
Mask per_query(std::function<Interval(int64_t position)> f, QueryPosition count = QueryPosition::kFromEnd);

}  // namespace fovea::nn
