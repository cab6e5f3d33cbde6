// v.tanh(W [q; k]) (Luong et al. 2015): the same function as additive, with Wq and Wk side by side in one
// matrix.
#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/project_heads.h"
#include "fovea/nn/scores/scores.h"

namespace fovea::nn::scores {
namespace {

std::vector<ScoreParam> params(const ScoreSizes& n) {
  return {{"W", {n.hidden, n.query + n.key}}, {"v", {n.hidden}}};
}

Var plain(const Var& q, const Var& k, const ScoreArguments& p) {
  const int64_t B = q.dim(0), H = q.dim(1), T = q.dim(2), S = k.dim(2), nq = q.dim(3), nk = k.dim(3),
                a = p[1].dim(-1);
  const Var qs = autograd::broadcast_to(autograd::reshape(q, {B, H, T, 1, nq}), {B, H, T, S, nq});
  const Var ks = autograd::broadcast_to(autograd::reshape(k, {B, H, 1, S, nk}), {B, H, T, S, nk});
  const Var pairs = autograd::permute(
      autograd::reshape(autograd::concat({qs, ks}, 4), {B, H, T * S, nq + nk}), {0, 2, 1, 3});
  const Var hidden = autograd::tanh(project_heads(pairs, p[0]));  // [B, T * S, H, a]
  const Var v = autograd::reshape(p[1], {1, 1, p[1].rank() == 1 ? 1 : p[1].dim(0), a});
  const Var e = autograd::sum(autograd::mul(hidden, v), 3);
  return autograd::reshape(autograd::permute(e, {0, 2, 1}), {B, H, T, S});
}

// W as additive's Wq and Wk: the last columns belong to the key.
Var keys(const Var& k, int64_t first, int64_t heads, const ScoreArguments& p) {
  const int64_t all = p[0].dim(-1);
  return additive().keys(k, first, heads, {Var(), autograd::slice(p[0], -1, all - k.dim(3), all), p[1]});
}

PairScore fused(const Var& q, const Var& k, const ScoreArguments& p) {
  return additive().fused(q, k, {autograd::slice(p[0], -1, 0, q.dim(3)), Var(), p[1]});
}

}  // namespace

Score concat() {
  return {"concat", "v.tanh(W [q; k])", "as additive, with one matrix", params, plain, fused, keys};
}

}  // namespace fovea::nn::scores
