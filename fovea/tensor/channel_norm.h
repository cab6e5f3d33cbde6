// Batch norm and group norm of pictures [B, height, width, C]. Formulas as in fovea/kernels/channel_norm.h.
#pragma once

#include "fovea/kernels/channel_norm.h"
#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

struct ChannelNormed {
  kernels::ChannelNormSize size;
  Tensor y;
  Tensor mean,
      variance;  // [C] for batch norm, [B, groups] for group norm; the variance is divided by the count
};

// gain and bias [C]. Over all pictures, rows and columns of a channel.
ChannelNormed batch_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps);
// With statistics [C] that are given: how a trained model runs.
ChannelNormed batch_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& mean,
                         const Tensor& variance, double eps);
// Over all rows and columns of a picture's group of channels.
ChannelNormed group_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, int64_t groups, double eps);

}  // namespace fovea::tensor
