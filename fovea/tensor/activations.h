// Functions of one number, for every element of a tensor; formulas in fovea/kernels/activations.h.
#pragma once

#include "fovea/kernels/activations.h"
#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

Tensor activate(kernels::Activation f, const Tensor& x);

}  // namespace fovea::tensor
