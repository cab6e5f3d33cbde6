// Dropout (Srivastava et al. 2014).
#pragma once

#include <cstdint>

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// Each element is kept with probability 1 - rate and multiplied by 1 / (1 - rate), else 0. What is kept is a
// function of (seed, step, position) alone: nothing is stored, and the backward pass works it out again. Give
// each place in a model its own seed. rate is in [0, 1); at 0, y is x itself.
Var dropout(const Var& x, float rate, uint64_t seed, uint64_t step);

}  // namespace fovea::autograd
