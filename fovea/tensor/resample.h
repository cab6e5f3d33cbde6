// Pictures at another size: nearest and bilinear. Formulas as in fovea/kernels/resample.h.
#pragma once

#include "fovea/kernels/resample.h"
#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

using kernels::Resampling;

// x [B, height, width, C] -> [B, out_height, out_width, C].
Tensor resample(const Tensor& x, int64_t out_height, int64_t out_width, Resampling kind);
kernels::ResampleSize resample_size(const Tensor& x, int64_t out_height, int64_t out_width);

}  // namespace fovea::tensor
