// Convolution of pictures. Formula and layout as in fovea/kernels/convolution.h.
#pragma once

#include "fovea/kernels/convolution.h"
#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// The same for height and width.
struct ConvolutionOptions {
  int64_t stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;  // of channels
};

// x [B, height, width, C], w [O, kernel height, kernel width, C / groups], bias [O] or undefined -> [B, out height, out width, O] with
// out = (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1.
Tensor convolution(const Tensor& x, const Tensor& w, const Tensor& bias,
                   const ConvolutionOptions& options = {});

// The sizes of that convolution; throws where shapes do not fit.
kernels::ConvolutionSize convolution_size(const Tensor& x, const Tensor& w, const Tensor& bias,
                                          const ConvolutionOptions& options);

}  // namespace fovea::tensor
