// Pooling and resampling of pictures with gradients. Shapes and formulas as in fovea/tensor/pooling.h and fovea/tensor/resample.h.
#pragma once

#include "fovea/autograd/tape.h"
#include "fovea/tensor/pooling.h"
#include "fovea/tensor/resample.h"

namespace fovea::autograd {

using tensor::PoolingOptions;
using tensor::Resampling;

// The gradient goes to the maximum, the first of several.
Var max_pool(const Var& x, const PoolingOptions& options = {});
Var average_pool(const Var& x, const PoolingOptions& options = {});
// The mean of every channel: [B, height, width, C] -> [B, C].
Var global_average_pool(const Var& x);
// [B, height, width, C] -> [B, out_height, out_width, C].
Var resample(const Var& x, int64_t out_height, int64_t out_width, Resampling kind);

}  // namespace fovea::autograd
