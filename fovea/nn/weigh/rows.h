// Rows of scores, for ways to weigh that choose one position of each.
#pragma once

#include <limits>

#include "fovea/autograd/tape.h"

namespace fovea::nn {

// The largest entry; the first of equals; -1 in a row of nothing but -inf.
template <typename T>
int32_t argmax(const T* x, int64_t n) {
  int64_t best = -1;
  for (int64_t j = 0; j < n; ++j)
    if (x[j] > (best < 0 ? -std::numeric_limits<T>::infinity() : x[best])) best = j;
  return static_cast<int32_t>(best);
}

// The axes of e [.., S] without the last.
inline Shape rows_of(const autograd::Var& e) {
  Shape shape;
  for (int axis = 0; axis + 1 < e.rank(); ++axis) shape.push_back(e.dim(axis));
  return shape;
}

}  // namespace fovea::nn
