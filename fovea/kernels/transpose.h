// y[c * ldy + r] = x[r * ldx + c] for r < rows, c < cols: a matrix turned over, on the calling thread. x and
// y do not overlap.
#pragma once

#include <cstdint>

namespace fovea::kernels {

void transpose(const float* x, int64_t ldx, float* y, int64_t ldy, int64_t rows, int64_t cols);

namespace ref {
template <typename T>
void transpose(const T* x, int64_t ldx, T* y, int64_t ldy, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) y[c * ldy + r] = x[r * ldx + c];
}
}  // namespace ref

inline void transpose(const double* x, int64_t ldx, double* y, int64_t ldy, int64_t rows, int64_t cols) {
  ref::transpose(x, ldx, y, ldy, rows, cols);
}
inline void transpose(const int32_t* x, int64_t ldx, int32_t* y, int64_t ldy, int64_t rows, int64_t cols) {
  ref::transpose(x, ldx, y, ldy, rows, cols);
}

}  // namespace fovea::kernels
