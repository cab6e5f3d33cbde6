// Reductions with gradients. Shapes as in fovea/tensor/reduce.h.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

Var sum(const Var& x);
Var sum(const Var& x, int axis, bool keep = false);
Var mean(const Var& x);
Var mean(const Var& x, int axis, bool keep = false);
// The gradient goes to the first maximum.
Var max(const Var& x, int axis, bool keep = false);

}  // namespace fovea::autograd
