// Sums and maxima along one axis of x[outer, n, inner].
//   sum_axis:  y[o,i] = alpha * sum_j x[o,j,i] + beta * y[o,i];  y is not read where beta is 0
//   max_axis:  y[o,i] = max_j x[o,j,i], at[o,i] = the first j that has it; n >= 1. A NaN is a maximum.
// Sums go in f32 within short runs, whose sums are added level by level or in f64, so that the error hardly
// grows with n.
#pragma once

#include <cstdint>

namespace fovea::kernels {

void sum_axis(const float* x, float* y, int64_t outer, int64_t n, int64_t inner, float alpha, float beta);
void sum_axis(const double* x, double* y, int64_t outer, int64_t n, int64_t inner, double alpha, double beta);

void max_axis(const float* x, float* y, int32_t* at, int64_t outer, int64_t n, int64_t inner);
void max_axis(const double* x, double* y, int32_t* at, int64_t outer, int64_t n, int64_t inner);

namespace ref {  // plain loops, sums in double
template <typename T>
void sum_axis(const T* x, T* y, int64_t outer, int64_t n, int64_t inner, T alpha, T beta);
template <typename T>
void max_axis(const T* x, T* y, int32_t* at, int64_t outer, int64_t n, int64_t inner);
}  // namespace ref

}  // namespace fovea::kernels
