// Rows of a trained table, looked up by number.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// table [V, E], ids i32 [...] -> [..., E]. An id outside [0, V) is an error.
Var embedding(const Var& table, const Tensor& ids);

}  // namespace fovea::autograd
