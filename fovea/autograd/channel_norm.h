// Batch norm and group norm of pictures [B, height, width, C], with gradients. gain and bias [C].
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// Statistics over all pictures, rows and columns; they are part of the result, for who keeps running ones. No gradient flows through them apart
// from y's.
struct BatchNormed {
  Var y;
  Tensor mean, variance;  // [C]; the variance is divided by the count
};
BatchNormed batch_norm(const Var& x, const Var& gain, const Var& bias, double eps = 1e-5);
// With statistics [C] that are given: how a trained model runs.
Var batch_norm(const Var& x, const Var& gain, const Var& bias, const Tensor& mean, const Tensor& variance,
               double eps = 1e-5);

// Statistics over the rows and columns of each picture's groups of channels.
Var group_norm(const Var& x, const Var& gain, const Var& bias, int64_t groups, double eps = 1e-5);

}  // namespace fovea::autograd
