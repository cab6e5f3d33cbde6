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

using Scale = double (*)(double width);
double one(double) { return 1; }
// A width of 0 scores 0 everywhere, not 0 / 0.
double over_root(double n) { return 1 / std::sqrt(std::max(n, 1.0)); }
double over_width(double n) { return 1 / std::max(n, 1.0); }

template <Scale kScale>
Var plain(const Var& q, const Var& k, const ScoreArguments&) {
  return autograd::scale(autograd::matmul(q, k, false, true), kScale(static_cast<double>(q.dim(-1))));
}

template <Scale kScale>
PairScore fused(const Var& q, const Var& k, const ScoreArguments&) {
  return {.q = q, .k = k, .u = {}, .scale = kScale(static_cast<double>(q.dim(-1)))};
}

template <Scale kScale>
Score dot_score(const char* name, const char* formula, const char* what) {
  return {name, formula, what, no_params, plain<kScale>, fused<kScale>, nullptr, kScale};
}

}  // namespace

Score dot() { return dot_score<one>("dot", "q.k", "the dot product"); }
Score scaled_dot() {
  return dot_score<over_root>("scaled_dot", "q.k / sqrt(n)",
                              "the dot product over the root of the width: the Transformer's");
}
Score mean_dot() { return dot_score<over_width>("mean_dot", "q.k / n", "the dot product over the width"); }

}  // namespace fovea::nn::scores
