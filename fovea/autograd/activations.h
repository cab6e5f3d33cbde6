// Functions of one number, for every element; formulas in fovea/kernels/activations.h.
#pragma once

#include "fovea/autograd/tape.h"
#include "fovea/kernels/activations.h"

namespace fovea::autograd {

// Any of them, chosen by value.
Var activate(kernels::Activation f, const Var& x);

Var exp(const Var& x);
Var log(const Var& x);
Var sqrt(const Var& x);
Var square(const Var& x);
Var tanh(const Var& x);
Var sigmoid(const Var& x);
Var relu(const Var& x);  // its gradient at 0 is 0
Var gelu(const Var& x);
Var gelu_tanh(const Var& x);
Var silu(const Var& x);
Var quick_gelu(const Var& x);

}  // namespace fovea::autograd
