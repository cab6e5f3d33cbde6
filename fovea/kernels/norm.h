// Layer normalisation (Ba et al. 2016) and root-mean-square normalisation (Zhang & Sennrich 2019) of rows,
// alone or with the residual sum that comes before it in a Transformer, in one sweep:
//   s = x + residual                                       (s = x without a residual)
//   layer norm: mean_r = 1/n sum_c s[r,c],  rstd_r = 1 / sqrt(1/n sum_c (s[r,c] - mean_r)^2 + eps)
//   rms norm:   mean_r = 0,                 rstd_r = 1 / sqrt(1/n sum_c s[r,c]^2 + eps)
//   y[r,c] = (s[r,c] - mean_r) rstd_r gain[c] + bias[c]
#pragma once

#include <cstdint>

namespace fovea::kernels {

template <typename T>
struct NormRows {
  const T* x;                   // [rows, cols]
  const T* residual = nullptr;  // [rows, cols] or null
  const T* gain = nullptr;      // [cols]
  const T* bias = nullptr;      // [cols] or null: no bias
  T* sum = nullptr;             // [rows, cols], written when there is a residual; may be x or residual
  T* y = nullptr;               // [rows, cols]; may be x
  T* mean = nullptr;            // [rows] or null: rms norm
  T* rstd = nullptr;            // [rows]
  int64_t rows = 0, cols = 0;
  double eps = 1e-5;
};
void norm_rows(const NormRows<float>& a);
void norm_rows(const NormRows<double>& a);

// With xhat = (s - mean) rstd and g = dy gain:
//   dx    = beta dx + rstd (g - mean_c(g) - xhat mean_c(g xhat))      (rms norm: without mean_c(g))
//   dgain = beta_gain dgain + sum_r dy xhat,   dbias = beta_bias dbias + sum_r dy
// in this order: an array given twice gets both. Where a beta is 0 the array is not read. Rows are summed in
// blocks that depend on the sizes only.
template <typename T>
struct NormRowsBackward {
  const T* s;               // [rows, cols]
  const T* gain = nullptr;  // [cols]
  const T* mean = nullptr;  // [rows] or null: rms norm
  const T* rstd = nullptr;  // [rows]
  const T* dy = nullptr;    // [rows, cols]
  T* dx = nullptr;          // [rows, cols] or null
  T* dgain = nullptr;       // [cols] or null
  T* dbias = nullptr;       // [cols] or null
  T* scratch = nullptr;     // norm_scratch(rows, cols) elements, needed for dgain or dbias
  int64_t rows = 0, cols = 0;
  T beta = 0, beta_gain = 0, beta_bias = 0;
};
int64_t norm_scratch(int64_t rows, int64_t cols);
void norm_rows_backward(const NormRowsBackward<float>& a);
void norm_rows_backward(const NormRowsBackward<double>& a);

namespace ref {  // plain loops, sums in double
template <typename T>
void norm_rows(const NormRows<T>& a);
template <typename T>
void norm_rows_backward(const NormRowsBackward<T>& a);
}  // namespace ref

}  // namespace fovea::kernels
