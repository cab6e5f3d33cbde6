// v.tanh(Wq q + Wk k): a small network (Bahdanau et al. 2015).
#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/project_heads.h"
#include "fovea/nn/scores/scores.h"

namespace fovea::nn::scores {
namespace {

std::vector<ScoreParam> params(const ScoreSizes& n) {
  return {{"Wq", {n.hidden, n.query}}, {"Wk", {n.hidden, n.key}}, {"v", {n.hidden}}};
}

// [a] as [1, a]; [H, a] as it is.
Var by_head(const Var& v) { return autograd::reshape(v, {v.rank() == 1 ? 1 : v.dim(0), v.dim(-1)}); }

Var plain(const Var& q, const Var& k, const ScoreArguments& p) {
  const int64_t B = q.dim(0), H = q.dim(1), T = q.dim(2), S = k.dim(2), a = p[2].dim(-1);
  const Var hq = autograd::permute(project_heads(autograd::permute(q, {0, 2, 1, 3}), p[0]), {0, 2, 1, 3});
  const Var hk = autograd::permute(project_heads(autograd::permute(k, {0, 2, 1, 3}), p[1]), {0, 2, 1, 3});
  const Var hidden = autograd::tanh(
      autograd::add(autograd::reshape(hq, {B, H, T, 1, a}), autograd::reshape(hk, {B, H, 1, S, a})));
  const Var v = by_head(p[2]);
  return autograd::sum(autograd::mul(hidden, autograd::reshape(v, {1, v.dim(0), 1, 1, a})), 4);
}

Var keys(const Var& k, int64_t, int64_t heads, const ScoreArguments& p) {
  const bool per_head = p[1].rank() == 3 && p[1].dim(0) > 1;
  return project_heads(per_head ? repeat_heads(k, heads / k.dim(2)) : k, p[1]);
}

PairScore fused(const Var& q, const Var& k, const ScoreArguments& p) {
  return {.q = project_heads(q, p[0]), .k = k, .u = by_head(p[2]), .scale = 1};
}

}  // namespace

Score additive() {
  return {"additive", "v.tanh(Wq q + Wk k)", "a small network: Bahdanau's", params, plain, fused, keys};
}

}  // namespace fovea::nn::scores
