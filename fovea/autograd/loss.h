// Differentiable losses.
#pragma once

#include "fovea/autograd/tape.h"
#include "fovea/tensor/cross_entropy.h"

namespace fovea::autograd {

// logits [..., V], targets i32 [...] -> a scalar. Costs no array of logits' size but the gradient of logits
// itself.
Var cross_entropy(const Var& logits, const Tensor& targets, const CrossEntropyOptions& options = {});

}  // namespace fovea::autograd
