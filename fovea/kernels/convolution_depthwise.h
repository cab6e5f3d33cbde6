// Depthwise convolutions: every channel is a convolution of its own, so vectors run along the channels. Arguments as in convolution.h.
#pragma once

#include "fovea/kernels/convolution.h"

namespace fovea::kernels {

inline bool is_depthwise(const ConvolutionSize& s) {
  return s.groups > 1 && s.groups == s.in && s.groups == s.out;
}
void depthwise(const ConvolutionSize& size, const float* x, const float* w, const float* bias, float* y);
void depthwise_backward_input(const ConvolutionSize& size, const float* w, const float* dy, float beta,
                              float* dx);
void depthwise_backward_weights(const ConvolutionSize& size, const float* x, const float* dy,
                                const ConvolutionWeightGrads<float>& to);

}  // namespace fovea::kernels
