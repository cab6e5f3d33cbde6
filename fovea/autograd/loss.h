// Differentiable losses.
#pragma once

#include "fovea/autograd/tape.h"
#include "fovea/tensor/cross_entropy.h"

namespace fovea::autograd {

// logits [..., V], targets i32 [...] -> a scalar. Costs no array of logits' size but the gradient of logits
// itself.
Var cross_entropy(const Var& logits, const Tensor& targets, const CrossEntropyOptions& options = {});

// cross_entropy(x w^T + bias, targets) for x [..., E], w [V, E], bias [V] or undefined, targets i32 [...] ->
// a scalar. Logits exist for a chunk of rows at a time: no array of rows * V elements is ever made.
Var linear_cross_entropy(const Var& x, const Var& w, const Var& bias, const Tensor& targets,
                         const CrossEntropyOptions& options = {});

}  // namespace fovea::autograd
