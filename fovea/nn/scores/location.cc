// (W q)_j (Luong et al. 2015): the query alone says where to look; keys are never seen.
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/project_heads.h"
#include "fovea/nn/scores/scores.h"

namespace fovea::nn::scores {
namespace {

std::vector<ScoreParam> params(const ScoreSizes& n) { return {{"W", {n.max_keys, n.query}}}; }

// The rows of W for keys at positions first to end - 1: [S, n_q] or [H, S, n_q].
Var rows_for(const Var& w, int64_t first, int64_t end) {
  if (end > w.dim(-2))
    fail("location", "{} keys, but W points at {} at the most: use a W with more rows", end, w.dim(-2));
  return autograd::slice(w, -2, first, end);
}

Var plain(const Var& q, const Var& k, const ScoreArguments& p) {
  const Var e =
      project_heads(autograd::permute(q, {0, 2, 1, 3}), rows_for(p[0], 0, k.dim(2)));  // [B, T, H, S]
  return autograd::permute(e, {0, 2, 1, 3});
}

// A dot product with the rows of W in the place of keys.
Var keys(const Var& k, int64_t first, int64_t heads, const ScoreArguments& p) {
  const int64_t B = k.dim(0), S = k.dim(1);
  const Var rows = rows_for(p[0], first, first + S);
  const int64_t n = rows.dim(-1);
  const bool per_head = rows.rank() == 3 && rows.dim(0) > 1;
  const Var one = per_head ? autograd::permute(rows, {1, 0, 2}) : autograd::reshape(rows, {S, 1, n});
  return autograd::broadcast_to(autograd::reshape(one, {1, S, one.dim(1), n}),
                                {B, S, per_head ? heads : k.dim(2), n});
}

PairScore fused(const Var& q, const Var& k, const ScoreArguments&) {
  return {.q = q, .k = k, .u = {}, .scale = 1};
}

}  // namespace

Score location() {
  return {"location", "(W q)_j", "by position alone, whatever the key", params, plain, fused, keys, nullptr, true};
}

}  // namespace fovea::nn::scores
