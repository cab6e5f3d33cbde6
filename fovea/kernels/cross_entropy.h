// The loss of a softmax over V classes against a target class, one row at a time, without an array of
// probabilities. With label smoothing s the wanted distribution is q[c] = s / V + (1 - s) [c == target], and
//   lse_r  = log sum_c e^x[r,c]
//   loss_r = - sum_c q[c] log p[c] = lse_r - (1 - s) x[r,target] - s / V sum_c x[r,c]
// A row whose target is `ignored` has loss 0 and no gradient. A row that is all -inf has loss +inf and no
// gradient. Other targets must lie in [0, V).
#pragma once

#include <cstdint>

namespace fovea::kernels {

struct CrossEntropyShape {
  int64_t rows, classes;
  float smoothing;
  int32_t ignored;
};

// Writes loss[rows] and lse[rows] (0 for ignored rows).
void cross_entropy_rows(const float* x, const int32_t* targets, float* loss, float* lse,
                        const CrossEntropyShape& shape);
void cross_entropy_rows(const double* x, const int32_t* targets, double* loss, double* lse,
                        const CrossEntropyShape& shape);

// dx[r,c] = beta dx[r,c] + scale (e^(x[r,c] - lse_r) - q[c]). With beta 0, dx is not read and may be x.
void cross_entropy_rows_backward(const float* x, const int32_t* targets, const float* lse, float* dx,
                                 float scale, float beta, const CrossEntropyShape& shape);
void cross_entropy_rows_backward(const double* x, const int32_t* targets, const double* lse, double* dx,
                                 double scale, double beta, const CrossEntropyShape& shape);

namespace ref {  // plain loops, sums in double
template <typename T>
void cross_entropy_rows(const T* x, const int32_t* targets, T* loss, T* lse, const CrossEntropyShape& shape);
template <typename T>
void cross_entropy_rows_backward(const T* x, const int32_t* targets, const T* lse, T* dx, T scale, T beta,
                                 const CrossEntropyShape& shape);
}  // namespace ref

}  // namespace fovea::kernels
