#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/reduce.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void sum_axis(const T* x, T* y, int64_t outer, int64_t n, int64_t inner, T alpha, T beta) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += x[(o * n + j) * inner + i];
      T& out = y[o * inner + i];
      out = static_cast<T>(alpha * sum + (beta == 0 ? 0.0 : static_cast<double>(beta) * out));
    }
  }
}

template <typename T>
void max_axis(const T* x, T* y, int32_t* at, int64_t outer, int64_t n, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const T* column = x + o * n * inner + i;
      int64_t best = 0;
      for (int64_t j = 1; j < n && !std::isnan(column[best * inner]); ++j)
        if (column[j * inner] > column[best * inner] || std::isnan(column[j * inner])) best = j;
      y[o * inner + i] = column[best * inner];
      at[o * inner + i] = static_cast<int32_t>(best);
    }
  }
}

template void sum_axis(const float*, float*, int64_t, int64_t, int64_t, float, float);

}  // namespace ref

void sum_axis(const double* x, double* y, int64_t outer, int64_t n, int64_t inner, double alpha,
              double beta) {
  ref::sum_axis(x, y, outer, n, inner, alpha, beta);
}
void max_axis(const double* x, double* y, int32_t* at, int64_t outer, int64_t n, int64_t inner) {
  ref::max_axis(x, y, at, outer, n, inner);
}
void max_axis(const float* x, float* y, int32_t* at, int64_t outer, int64_t n, int64_t inner) {
  constexpr int64_t kGrain = 1 << 15;
  const int64_t each = n * inner < kGrain ? kGrain / (n * inner + 1) + 1 : 1;
  parallel_ranges(outer, each, [&](int64_t begin, int64_t end) {
    ref::max_axis(x + begin * n * inner, y + begin * inner, at + begin * inner, end - begin, n, inner);
  });
}

}  // namespace fovea::kernels
