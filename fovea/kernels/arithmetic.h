// Arithmetic on two arrays with NumPy's broadcasting:
//   y[i] = a[i] op b[i], or with `accumulate` y[i] += a[i] op b[i]
// over an index i of several axes; a stride of 0 repeats an operand along an axis. y is contiguous, and may
// be a or b where that one has y's shape.
#pragma once

#include <cstdint>

namespace fovea::kernels {

enum class Arithmetic : uint8_t { kAdd, kSub, kMul, kDiv };

// Axes from the outermost to the innermost; the innermost strides are 0 or 1. Neighbouring axes that can be
// walked as one should be one.
struct Broadcast {
  static constexpr int kMaxRank = 6;
  int rank = 0;
  int64_t sizes[kMaxRank] = {}, a[kMaxRank] = {}, b[kMaxRank] = {};
};

void arithmetic(Arithmetic op, const Broadcast& shape, const float* a, const float* b, float* y,
                bool accumulate);
void arithmetic(Arithmetic op, const Broadcast& shape, const double* a, const double* b, double* y,
                bool accumulate);

// y[i] = alpha * x[i] + beta. y may be x.
void affine(const float* x, float* y, int64_t n, float alpha, float beta);
void affine(const double* x, double* y, int64_t n, double alpha, double beta);
// y[i] += alpha * x[i].
void add_scaled(const float* x, float* y, int64_t n, float alpha);
void add_scaled(const double* x, double* y, int64_t n, double alpha);

namespace ref {  // plain loops
template <typename T>
void arithmetic(Arithmetic op, const Broadcast& shape, const T* a, const T* b, T* y, bool accumulate);
}  // namespace ref

// Calls f(y offset, a offset, b offset, n) for each innermost run of rows [begin, end), a row being one value
// of the outer axes.
template <typename F>
void for_each_run(const Broadcast& shape, int64_t begin, int64_t end, F&& f) {
  const int inner = shape.rank - 1;
  const int64_t n = shape.rank ? shape.sizes[inner] : 1;
  for (int64_t row = begin; row < end; ++row) {
    int64_t rest = row, at_a = 0, at_b = 0;
    for (int axis = inner - 1; axis >= 0; --axis) {
      const int64_t i = rest % shape.sizes[axis];
      rest /= shape.sizes[axis];
      at_a += i * shape.a[axis];
      at_b += i * shape.b[axis];
    }
    f(row * n, at_a, at_b, n);
  }
}

inline int64_t rows_of(const Broadcast& shape) {
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < shape.rank; ++axis) rows *= shape.sizes[axis];
  return rows;
}

}  // namespace fovea::kernels
