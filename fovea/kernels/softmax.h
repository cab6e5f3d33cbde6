// Rows of a matrix become probability distributions:
//   y[r,c] = exp(x[r,c] - max_r) / sum_c exp(x[r,c] - max_r)
// A row that is all -inf (everything masked) becomes all zeros, never NaN. y may be x.
#pragma once

#include <cstdint>

namespace fovea::kernels {

void softmax_rows(const float* x, float* y, int64_t rows, int64_t cols);
void softmax_rows(const double* x, double* y, int64_t rows, int64_t cols);

// dx[r,c] += y[r,c] * (dy[r,c] - sum_k y[r,k] dy[r,k]).
void softmax_rows_backward(const float* y, const float* dy, float* dx, int64_t rows, int64_t cols);
void softmax_rows_backward(const double* y, const double* dy, double* dx, int64_t rows, int64_t cols);

// y[r,c] = x[r,c] - max_r - log sum_c exp(x[r,c] - max_r). A row that is all -inf stays all -inf. y may be x.
void log_softmax_rows(const float* x, float* y, int64_t rows, int64_t cols);
void log_softmax_rows(const double* x, double* y, int64_t rows, int64_t cols);

// dx[r,c] += dy[r,c] - exp(y[r,c]) sum_k dy[r,k].
void log_softmax_rows_backward(const float* y, const float* dy, float* dx, int64_t rows, int64_t cols);
void log_softmax_rows_backward(const double* y, const double* dy, double* dx, int64_t rows, int64_t cols);

namespace ref {  // plain loops, sums in double: the oracle, and what f64 runs on
template <typename T>
void softmax_rows(const T* x, T* y, int64_t rows, int64_t cols);
template <typename T>
void softmax_rows_backward(const T* y, const T* dy, T* dx, int64_t rows, int64_t cols);
template <typename T>
void log_softmax_rows(const T* x, T* y, int64_t rows, int64_t cols);
template <typename T>
void log_softmax_rows_backward(const T* y, const T* dy, T* dx, int64_t rows, int64_t cols);
}  // namespace ref

}  // namespace fovea::kernels
