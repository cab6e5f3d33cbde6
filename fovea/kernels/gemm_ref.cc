#include <algorithm>

#include "fovea/kernels/gemm.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b,
          int64_t ldb, T beta, T* c, int64_t ldc) {
  const int64_t a_row = ta ? 1 : lda, a_col = ta ? lda : 1;
  const int64_t b_row = tb ? 1 : ldb, b_col = tb ? ldb : 1;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += static_cast<double>(a[i * a_row + l * a_col]) * static_cast<double>(b[l * b_row + j * b_col]);
      T& out = c[i * ldc + j];
      out = static_cast<T>(alpha * sum + (beta == 0 ? 0.0 : static_cast<double>(beta) * out));
    }
  }
}

template void gemm(bool, bool, int64_t, int64_t, int64_t, float, const float*, int64_t, const float*, int64_t,
                   float, float*, int64_t);

}  // namespace ref

void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  ref::gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void gemm_bias(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda,
               const double* b, int64_t ldb, const double* bias, double* c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i) std::copy_n(bias, n, c + i * ldc);
  ref::gemm(ta, tb, m, n, k, 1.0, a, lda, b, ldb, 1.0, c, ldc);
}

void gemm_batched(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a,
                  int64_t lda, const double* b, int64_t ldb, double beta, double* c, int64_t ldc,
                  int64_t batch, int64_t stride_a, int64_t stride_b, int64_t stride_c) {
  for (int64_t i = 0; i < batch; ++i)
    ref::gemm(ta, tb, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta, c + i * stride_c,
              ldc);
}

}  // namespace fovea::kernels
