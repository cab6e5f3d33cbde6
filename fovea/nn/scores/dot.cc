// q.k, plain or divided: by sqrt(n), which keeps the variance of the scores at 1 (Vaswani et al. 2017), or by
// n.
#include <algorithm>
#include <cmath>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/matmul.h"
#include "fovea/nn/scores/scores.h"

namespace fovea::nn::scores {
namespace {

std::vector<ScoreParam> no_params(const ScoreSizes& n) {
  if (n.query != n.key)
    fail("score", "a dot product of a query of width {} and a key of width {}: expected equal", n.query,
         n.key);
  return {};
}

using Divisor = double (*)(double width);
double one(double) { return 1; }
// A width of 0 scores 0 everywhere, not 0 / 0.
double root(double n) { return std::sqrt(std::max(n, 1.0)); }
double itself(double n) { return std::max(n, 1.0); }

template <Divisor kDivisor>
Var plain(const Var& q, const Var& k, const ScoreArguments&) {
  return autograd::scale(autograd::matmul(q, k, false, true), 1 / kDivisor(static_cast<double>(q.dim(-1))));
}

template <Divisor kDivisor>
PairScore fused(const Var& q, const Var& k, const ScoreArguments&) {
  return {.q = q, .k = k, .u = {}, .scale = 1 / kDivisor(static_cast<double>(q.dim(-1)))};
}

}  // namespace

Score dot() { return {"dot", "q.k", "the dot product", no_params, plain<one>, fused<one>}; }
Score scaled_dot() {
  return {"scaled_dot", "q.k / sqrt(n)", "the dot product over the root of the width: the Transformer's",
          no_params,    plain<root>,     fused<root>};
}
Score mean_dot() {
  return {"mean_dot", "q.k / n", "the dot product over the width", no_params, plain<itself>, fused<itself>};
}

}  // namespace fovea::nn::scores
