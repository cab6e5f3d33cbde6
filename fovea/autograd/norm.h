// Layer normalisation and root-mean-square normalisation over the last axis, alone or after a residual sum.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// y = (x - mean) / sqrt(variance + eps) * gain + bias. gain [E]; bias [E] or undefined.
Var layer_norm(const Var& x, const Var& gain, const Var& bias, double eps = 1e-5);
// y = x / sqrt(mean square + eps) * gain.
Var rms_norm(const Var& x, const Var& gain, double eps = 1e-5);

// sum = x + residual, normed = norm(sum): one sweep forward. On the tape they are two records, the second
// reading the first: whatever else uses the sum leaves its gradient with it, normalisation adds to that in
// place, and x and residual then receive the same array. No gradient is copied.
struct ResidualNorm {
  Var sum, normed;
};
ResidualNorm residual_layer_norm(const Var& x, const Var& residual, const Var& gain, const Var& bias,
                                 double eps = 1e-5);
ResidualNorm residual_rms_norm(const Var& x, const Var& residual, const Var& gain, double eps = 1e-5);

}  // namespace fovea::autograd
