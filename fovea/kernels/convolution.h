// Convolution of pictures (cross-correlation, as everybody calls it):
//   y[b,i,j,o] = bias[o] + sum_{u,v,c} x[b, i sy + u ey - py, j sx + v ex - px, g(o) C/G + c] w[o,u,v,c]
// with strides s, dilations e and paddings p. x [B, height, width, C] is 0 outside; w [O, kernel height, kernel width, C/G];
// y [B, out height, out width, O]. Channels are in G groups: output o belongs to group g(o) = o / (O/G) and reads that group's inputs only.
// G = C is a depthwise convolution.
//
// Every sum is made in an order that depends on the sizes only, by one thread: the same bits on any number of threads.
#pragma once

#include <cstdint>

#include "fovea/kernels/window.h"

namespace fovea::kernels {

struct ConvolutionSize {
  int64_t B = 0;
  WindowAxis y, x;
  int64_t in = 0, out = 0;  // channels: C and O
  int64_t groups = 1;       // divides both

  int64_t group_in() const { return in / groups; }
  int64_t group_out() const { return out / groups; }
  int64_t taps() const { return y.kernel * x.kernel; }
  int64_t weights() const { return out * taps() * group_in(); }  // elements of w
};

// `bias` may be null.
void convolution(const ConvolutionSize& size, const float* x, const float* w, const float* bias, float* y);
void convolution(const ConvolutionSize& size, const double* x, const double* w, const double* bias,
                 double* y);

// dx = beta dx + the sum of dy w over every place where x was read. dx is not read where beta is 0.
void convolution_backward_input(const ConvolutionSize& size, const float* w, const float* dy, float beta,
                                float* dx);
void convolution_backward_input(const ConvolutionSize& size, const double* w, const double* dy, double beta,
                                double* dx);

// dw[o,u,v,c] = beta_w dw + sum_{b,i,j} dy[b,i,j,o] x[..],   db[o] = beta_b db + sum_{b,i,j} dy[b,i,j,o].
// Either may be null; neither is read where its beta is 0.
template <typename T>
struct ConvolutionWeightGrads {
  T* dw = nullptr;
  T* db = nullptr;
  T beta_w = 0, beta_b = 0;
};
void convolution_backward_weights(const ConvolutionSize& size, const float* x, const float* dy,
                                  const ConvolutionWeightGrads<float>& to);
void convolution_backward_weights(const ConvolutionSize& size, const double* x, const double* dy,
                                  const ConvolutionWeightGrads<double>& to);

namespace ref {  // plain loops, sums in double: the oracle, and what f64 runs on
template <typename T>
void convolution(const ConvolutionSize& size, const T* x, const T* w, const T* bias, T* y);
template <typename T>
void convolution_backward_input(const ConvolutionSize& size, const T* w, const T* dy, T beta, T* dx);
template <typename T>
void convolution_backward_weights(const ConvolutionSize& size, const T* x, const T* dy,
                                  const ConvolutionWeightGrads<T>& to);
}  // namespace ref

}  // namespace fovea::kernels
