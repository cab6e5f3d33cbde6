// Products with a matrix that is used again and again: the weights of a recurrence, or of a model that only runs. B is laid out
// once in the order in which the inner loop reads it, and then serves any number of products:
//   C[m,n] = op(A)[m,k] B[k,n] + bias[n] + beta * C[m,n]
// op(A) is A[m,k], or with `ta` the transpose of A[k,m]. Every element of C is summed over k in one order, whatever m is and however
// many threads there are: a row's result depends on no other row.
//
// Layout: panels of kPanel columns, each [k, kPanel]; the last panel is filled up with zeros.
#pragma once

#include <cstdint>

namespace fovea::kernels {

inline constexpr int64_t kPanel = 64;

// Elements of the packed form.
constexpr int64_t packed_size(int64_t k, int64_t n) { return (n + kPanel - 1) / kPanel * kPanel * k; }

// B is b[k,n] with rows ldb apart, or with `tb` the transpose of b[n,k].
void pack(bool tb, int64_t k, int64_t n, const float* b, int64_t ldb, float* packed);
void pack(bool tb, int64_t k, int64_t n, const double* b, int64_t ldb, double* packed);

// C is not read where beta is 0. `bias` may be null. C overlaps nothing else.
void gemm_packed(bool ta, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* packed,
                 const float* bias, float beta, float* c, int64_t ldc);
void gemm_packed(bool ta, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* packed,
                 const double* bias, double beta, double* c, int64_t ldc);

namespace ref {
template <typename T>
void pack(bool tb, int64_t k, int64_t n, const T* b, int64_t ldb, T* packed);
template <typename T>
void gemm_packed(bool ta, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* packed,
                 const T* bias, T beta, T* c, int64_t ldc);
}  // namespace ref

}  // namespace fovea::kernels
