// Differentiable operations over the rows of the last axis.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// y = e^x / sum e^x over the last axis; a row that is all -inf becomes zeros and passes no gradient on.
Var softmax(const Var& x);
// y = x - log sum e^x over the last axis; a row that is all -inf stays so.
Var log_softmax(const Var& x);

}  // namespace fovea::autograd
