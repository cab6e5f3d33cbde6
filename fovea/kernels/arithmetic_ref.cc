#include "fovea/kernels/arithmetic.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void arithmetic(Arithmetic op, const Broadcast& shape, const T* a, const T* b, T* y, bool accumulate) {
  const int64_t step_a = shape.rank ? shape.a[shape.rank - 1] : 0,
                step_b = shape.rank ? shape.b[shape.rank - 1] : 0;
  const auto one = [op](T x, T z) {
    switch (op) {
      case Arithmetic::kAdd:
        return x + z;
      case Arithmetic::kSub:
        return x - z;
      case Arithmetic::kMul:
        return x * z;
      case Arithmetic::kDiv:
        break;
    }
    return x / z;
  };
  for_each_run(shape, 0, rows_of(shape), [&](int64_t at, int64_t at_a, int64_t at_b, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const T value = one(a[at_a + i * step_a], b[at_b + i * step_b]);
      y[at + i] = accumulate ? y[at + i] + value : value;
    }
  });
}

template void arithmetic(Arithmetic, const Broadcast&, const float*, const float*, float*, bool);

}  // namespace ref

void arithmetic(Arithmetic op, const Broadcast& shape, const double* a, const double* b, double* y,
                bool accumulate) {
  ref::arithmetic(op, shape, a, b, y, accumulate);
}
void affine(const double* x, double* y, int64_t n, double alpha, double beta) {
  for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i] + beta;
}
void add_scaled(const double* x, double* y, int64_t n, double alpha) {
  for (int64_t i = 0; i < n; ++i) y[i] += alpha * x[i];
}

}  // namespace fovea::kernels
