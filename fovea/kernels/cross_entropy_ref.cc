#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/kernels/cross_entropy.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void cross_entropy_rows(const T* x, const int32_t* targets, T* loss, T* lse, const CrossEntropyShape& shape) {
  const double infinity = std::numeric_limits<double>::infinity(), s = shape.smoothing;
  for (int64_t r = 0; r < shape.rows; ++r, x += shape.classes) {
    if (targets[r] == shape.ignored) {
      loss[r] = lse[r] = 0;
      continue;
    }
    double max = -infinity;
    for (int64_t c = 0; c < shape.classes; ++c) max = std::max<double>(max, x[c]);
    if (max == -infinity && std::none_of(x, x + shape.classes, [](T v) { return std::isnan(v); })) {
      loss[r] = static_cast<T>(infinity);
      lse[r] = static_cast<T>(-infinity);
      continue;
    }
    double sum = 0, above = 0;  // above: sum_c (x[c] - max)
    for (int64_t c = 0; c < shape.classes; ++c) sum += std::exp(x[c] - max);
    if (s > 0)
      for (int64_t c = 0; c < shape.classes; ++c) above += x[c] - max;
    const double nll = std::log(sum) - (x[targets[r]] - max);
    const double smooth = s > 0 ? std::log(sum) - above / static_cast<double>(shape.classes) : 0;
    loss[r] = static_cast<T>((1 - s) * nll + s * smooth);
    lse[r] = static_cast<T>(max + std::log(sum));
  }
}

template <typename T>
void cross_entropy_rows_backward(const T* x, const int32_t* targets, const T* lse, T* dx, T scale, T beta,
                                 const CrossEntropyShape& shape) {
  const double s = shape.smoothing, uniform = s / static_cast<double>(shape.classes);
  for (int64_t r = 0; r < shape.rows; ++r, x += shape.classes, dx += shape.classes) {
    const bool nothing = targets[r] == shape.ignored || lse[r] == -std::numeric_limits<T>::infinity();
    for (int64_t c = 0; c < shape.classes; ++c) {
      const double q = uniform + (c == targets[r] ? 1 - s : 0);
      const double d = nothing ? 0 : scale * (std::exp(static_cast<double>(x[c]) - lse[r]) - q);
      dx[c] = static_cast<T>((beta == 0 ? 0 : beta * dx[c]) + d);
    }
  }
}

template void cross_entropy_rows(const float*, const int32_t*, float*, float*, const CrossEntropyShape&);
template void cross_entropy_rows_backward(const float*, const int32_t*, const float*, float*, float, float,
                                          const CrossEntropyShape&);

}  // namespace ref

void cross_entropy_rows(const double* x, const int32_t* targets, double* loss, double* lse,
                        const CrossEntropyShape& shape) {
  ref::cross_entropy_rows(x, targets, loss, lse, shape);
}
void cross_entropy_rows_backward(const double* x, const int32_t* targets, const double* lse, double* dx,
                                 double scale, double beta, const CrossEntropyShape& shape) {
  ref::cross_entropy_rows_backward(x, targets, lse, dx, scale, beta, shape);
}

}  // namespace fovea::kernels
