// Matrix products with gradients. Shapes as in fovea/tensor/matmul.h.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// op(a) op(b) over the last two axes: [.., m, k] x [.., k, n] or [k, n] -> [.., m, n].
Var matmul(const Var& a, const Var& b, bool ta = false, bool tb = false);

// x[.., in] w[out, in]^T + bias[out] -> [.., out]; bias may be undefined: Var().
// While nothing is recorded every row has the bits it would have alone.
Var linear(const Var& x, const Var& w, const Var& bias);

}  // namespace fovea::autograd
