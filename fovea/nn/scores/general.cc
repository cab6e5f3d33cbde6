// q.W k: a learned product (Luong et al. 2015), which also joins a query and a key of different widths.
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/project_heads.h"
#include "fovea/nn/scores/scores.h"

namespace fovea::nn::scores {
namespace {

std::vector<ScoreParam> params(const ScoreSizes& n) { return {{"W", {n.query, n.key}}}; }

// [.., n_q, n_k] as [.., n_k, n_q].
Var transposed(const Var& w) { return autograd::transpose(w, -2, -1); }

Var plain(const Var& q, const Var& k, const ScoreArguments& p) {
  const Var rows = autograd::permute(q, {0, 2, 1, 3});
  return autograd::matmul(autograd::permute(project_heads(rows, transposed(p[0])), {0, 2, 1, 3}), k, false,
                          true);
}

// W moves to the side of the query, which then meets the keys in a dot product.
PairScore fused(const Var& q, const Var& k, const ScoreArguments& p) {
  return {.q = project_heads(q, transposed(p[0])), .k = k, .u = {}, .scale = 1};
}

}  // namespace

Score general() { return {"general", "q.W k", "a learned product", params, plain, fused}; }

}  // namespace fovea::nn::scores
