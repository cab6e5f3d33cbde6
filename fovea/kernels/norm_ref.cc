#include <cmath>

#include "fovea/kernels/norm.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void norm_rows(const NormRows<T>& a) {
  const auto n = static_cast<double>(a.cols);
  for (int64_t r = 0; r < a.rows; ++r) {
    const T* s = a.x + r * a.cols;
    if (a.residual) {
      const T* residual = a.residual + r * a.cols;
      T* sum = a.sum + r * a.cols;
      for (int64_t c = 0; c < a.cols; ++c) sum[c] = s[c] + residual[c];
      s = sum;
    }
    double mean = 0, square = 0;
    if (a.mean) {
      for (int64_t c = 0; c < a.cols; ++c) mean += s[c];
      mean /= n;
    }
    for (int64_t c = 0; c < a.cols; ++c) square += (s[c] - mean) * (s[c] - mean);
    const double rstd = 1 / std::sqrt(square / n + a.eps);
    if (a.mean) a.mean[r] = static_cast<T>(mean);
    a.rstd[r] = static_cast<T>(rstd);
    T* y = a.y + r * a.cols;
    for (int64_t c = 0; c < a.cols; ++c)
      y[c] = static_cast<T>((s[c] - mean) * rstd * a.gain[c] + (a.bias ? a.bias[c] : T{0}));
  }
}

template <typename T>
void norm_rows_backward(const NormRowsBackward<T>& a) {
  auto at = [&](int64_t r, int64_t c) { return static_cast<double>(a.dy[r * a.cols + c]); };
  auto xhat = [&](int64_t r, int64_t c) {
    return (static_cast<double>(a.s[r * a.cols + c]) - (a.mean ? a.mean[r] : T{0})) * a.rstd[r];
  };
  for (int64_t r = 0; a.dx && r < a.rows; ++r) {
    double g_mean = 0, gx_mean = 0;
    for (int64_t c = 0; c < a.cols; ++c) {
      const double g = at(r, c) * a.gain[c];
      g_mean += a.mean ? g : 0;
      gx_mean += g * xhat(r, c);
    }
    g_mean /= static_cast<double>(a.cols);
    gx_mean /= static_cast<double>(a.cols);
    for (int64_t c = 0; c < a.cols; ++c) {
      T& dx = a.dx[r * a.cols + c];
      const double d = a.rstd[r] * (at(r, c) * a.gain[c] - g_mean - xhat(r, c) * gx_mean);
      dx = static_cast<T>((a.beta == 0 ? 0 : a.beta * dx) + d);
    }
  }
  for (int64_t c = 0; c < a.cols; ++c) {
    double dgain = 0, dbias = 0;
    for (int64_t r = 0; r < a.rows; ++r) {
      dgain += at(r, c) * xhat(r, c);
      dbias += at(r, c);
    }
    if (a.dgain) a.dgain[c] = static_cast<T>((a.beta_gain == 0 ? 0 : a.beta_gain * a.dgain[c]) + dgain);
    if (a.dbias) a.dbias[c] = static_cast<T>((a.beta_bias == 0 ? 0 : a.beta_bias * a.dbias[c]) + dbias);
  }
}

template void norm_rows(const NormRows<float>&);
template void norm_rows_backward(const NormRowsBackward<float>&);

}  // namespace ref

void norm_rows(const NormRows<double>& a) { ref::norm_rows(a); }
void norm_rows_backward(const NormRowsBackward<double>& a) { ref::norm_rows_backward(a); }

}  // namespace fovea::kernels
