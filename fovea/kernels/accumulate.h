// sum[i] += x[i]. Pointers need no alignment; x and sum are the same array or do not overlap.
#pragma once

#include <cstdint>

namespace fovea::kernels {

void accumulate(const float* x, float* sum, int64_t n);

namespace ref {
template <typename T>
void accumulate(const T* x, T* sum, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum[i] += x[i];
}
}  // namespace ref

inline void accumulate(const double* x, double* sum, int64_t n) { ref::accumulate(x, sum, n); }

}  // namespace fovea::kernels
