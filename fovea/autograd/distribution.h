// Operations on distributions over the last axis, given by scores e: p = softmax(e). An entry of -inf is
// outside the distribution; a row of nothing but -inf is no distribution, and yields 0 and no gradient.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// H(p) = -sum_j p_j log p_j, of shape e without its last axis.
Var entropy(const Var& e);

// KL(p || q) = sum_j p_j (log p_j - log q_j), where q = softmax(f). f must be finite where e is.
Var kl_divergence(const Var& e, const Var& f);

// y[...] = x[..., at[...]]; 0, and no gradient, where `at` (i32) is negative.
Var pick(const Var& x, const Tensor& at);

// log normal(x; mean, deviation) of vectors along the last axis, whose numbers are independent:
//   y[...] = -sum_j ((x_j - mean_j) / deviation)^2 / 2 - n log(deviation sqrt(2 pi))
// x is what was drawn, and has no gradient: by it a policy learns (Williams 1992).
Var gaussian_log_prob(const Tensor& x, const Var& mean, double deviation);

// The value of `hard`, the gradient of `soft`: a biased but low-noise way through a discrete choice (Bengio
// et al. 2013).
Var straight_through(const Var& soft, const Tensor& hard);

}  // namespace fovea::autograd
