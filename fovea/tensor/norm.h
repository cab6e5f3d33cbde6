// Layer normalisation and root-mean-square normalisation over the last axis, alone or after a residual sum.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// y = (x - mean) / sqrt(variance + eps) * gain + bias, over the last axis. gain [E]; bias [E] or undefined.
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps = 1e-5);
// y = x / sqrt(mean square + eps) * gain.
Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps = 1e-5);

// What one sweep of normalisation gives; the backward pass reads sum, mean and rstd.
struct Normed {
  Tensor sum;   // x + residual, or x itself
  Tensor y;     // the normalised sum
  Tensor mean;  // [rows]; undefined for rms norm
  Tensor rstd;  // [rows]
};
enum class NormKind { kLayer, kRms };
// residual: of x's shape, or undefined. `who` names the operation in errors.
Normed normed(NormKind kind, const Tensor& x, const Tensor& residual, const Tensor& gain, const Tensor& bias,
              double eps, const char* who);

}  // namespace fovea::tensor
