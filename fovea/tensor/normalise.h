// Operations over the rows of the last axis.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// Rows of the last axis as probabilities; a row that is all -inf becomes zeros. A scalar is an error.
Tensor softmax(const Tensor& x);
// Their logarithms; a row that is all -inf stays so.
Tensor log_softmax(const Tensor& x);

}  // namespace fovea::tensor
