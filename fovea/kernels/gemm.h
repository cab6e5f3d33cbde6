// Matrix products, row-major:
//   C[m,n] = alpha * op(A)[m,k] * op(B)[k,n] + beta * C[m,n]
// op(A) is A[m,k], or with `ta` the transpose of A[k,m]; op(B) is B[k,n], or with `tb` the transpose of
// B[n,k]. lda, ldb and ldc are the distances between rows as they lie in memory. C is not read where beta is
// 0, and does not overlap A or B. With k = 0 it becomes beta * C.
//
// The product is cut into blocks of C by its shape alone, and each block runs on one thread: the same bits on
// any number of threads.
#pragma once

#include <cstdint>

namespace fovea::kernels {

void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc);

// C[m,n] = op(A) op(B) + bias[n] in every row. C is not read.
void gemm_bias(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
               int64_t ldb, const float* bias, float* c, int64_t ldc);
void gemm_bias(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda,
               const double* b, int64_t ldb, const double* bias, double* c, int64_t ldc);

// `batch` products; the matrices of product i start at a + i * stride_a, b + i * stride_b and c + i *
// stride_c. A stride of 0 shares A or B; stride_c may not be 0 unless batch is 1.
void gemm_batched(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a, int64_t lda,
                  const float* b, int64_t ldb, float beta, float* c, int64_t ldc, int64_t batch,
                  int64_t stride_a, int64_t stride_b, int64_t stride_c);
void gemm_batched(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a,
                  int64_t lda, const double* b, int64_t ldb, double beta, double* c, int64_t ldc,
                  int64_t batch, int64_t stride_a, int64_t stride_b, int64_t stride_c);

namespace ref {  // plain loops, sums in double: the oracle, and what f64 runs on
template <typename T>
void gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t lda, const T* b,
          int64_t ldb, T beta, T* c, int64_t ldc);
}  // namespace ref

}  // namespace fovea::kernels
