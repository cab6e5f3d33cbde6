// Rotary positions (Su et al. 2021).
#pragma once

#include "fovea/autograd/tape.h"
#include "fovea/tensor/positions.h"

namespace fovea::autograd {

// x [B, L, H, D], each head, or only the first `turned` ones, turned by its token's angle. The backward pass turns back by the
// same table.
Var rope(const Var& x, const tensor::RotaryTable& table, int64_t turned = 0);
// The same with a table made for this call: positions first_position, first_position + 1, ...
Var rope(const Var& x, int64_t first_position, double base = 10000);

}  // namespace fovea::autograd
