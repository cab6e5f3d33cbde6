// A mask on a matrix of scores that is written out: the plain counterpart of what fused attention does on the
// fly.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// x [B, H, T, S] with -inf where visible (u8 [B, H, T, S], an axis of size 1 is shared) is 0. No gradient
// flows there.
Var hide(const Var& x, const Tensor& visible);

// x [H, T + S - 1] as a matrix by distance: y[0, h, i, j] = x[h, j - i + T - 1], of shape [1, H, T, S].
Var by_distance(const Var& x, int64_t queries, int64_t keys);

}  // namespace fovea::autograd
