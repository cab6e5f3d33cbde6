#include <algorithm>

#include "fovea/kernels/packed.h"

namespace fovea::kernels {
namespace ref {

template <typename T>
void pack(bool tb, int64_t k, int64_t n, const T* b, int64_t ldb, T* packed) {
  constexpr int64_t kLine = 16;  // of k at a time, so that reading down or across b uses whole cache lines
  for (int64_t first = 0; first < n; first += kPanel, packed += kPanel * k)
    for (int64_t from = 0; from < k; from += kLine)
      for (int64_t j = 0; j < kPanel; ++j)
        for (int64_t p = from; p < std::min(k, from + kLine); ++p)
          packed[p * kPanel + j] = first + j >= n ? T{0}
                                   : tb           ? b[(first + j) * ldb + p]
                                                  : b[p * ldb + first + j];
}

template <typename T>
void gemm_packed(bool ta, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* packed,
                 const T* bias, T beta, T* c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const T* column = packed + j / kPanel * kPanel * k + j % kPanel;
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += static_cast<double>(a[ta ? p * lda + i : i * lda + p]) * column[p * kPanel];
      if (bias) sum += bias[j];
      if (beta != 0) sum += static_cast<double>(beta) * c[i * ldc + j];
      c[i * ldc + j] = static_cast<T>(sum);
    }
}

template void pack(bool, int64_t, int64_t, const float*, int64_t, float*);
template void gemm_packed(bool, int64_t, int64_t, int64_t, const float*, int64_t, const float*, const float*,
                          float, float*, int64_t);

}  // namespace ref

void pack(bool tb, int64_t k, int64_t n, const double* b, int64_t ldb, double* packed) {
  ref::pack(tb, k, n, b, ldb, packed);
}
void gemm_packed(bool ta, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* packed,
                 const double* bias, double beta, double* c, int64_t ldc) {
  ref::gemm_packed(ta, m, n, k, a, lda, packed, bias, beta, c, ldc);
}

}  // namespace fovea::kernels
