// A matrix for each head.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::nn {

// y[b, l, h, :] = w_h x[b, l, h, :] for x [B, L, H, D]; w is [out, D], shared by all heads, or [H, out, D].
autograd::Var project_heads(const autograd::Var& x, const autograd::Var& w);

}  // namespace fovea::nn
