#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/nn/scores/scores.h"

namespace fovea::nn {

std::span<const Score> score_table() {
  static const Score kTable[] = {
      scores::dot(),      scores::scaled_dot(), scores::mean_dot(), scores::general(),
      scores::additive(), scores::concat(),     scores::location(),
  };
  return kTable;
}

const Score& score_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Score& score : score_table()) {
    if (name == score.name) return score;
    names.emplace_back(score.name);
  }
  fail("score", "there is no score {}: did you mean '{}'?", quote(name), nearest(name, names, 1).front());
}

Var scores_of(const PairScore& pair) {
  const Var q = autograd::permute(pair.q, {0, 2, 1, 3});
  const Var k = autograd::permute(repeat_heads(pair.k, pair.q.dim(2) / pair.k.dim(2)), {0, 2, 1, 3});
  const int64_t B = q.dim(0), H = q.dim(1), T = q.dim(2), S = k.dim(2), n = q.dim(3);
  if (!pair.u.defined()) return autograd::scale(autograd::matmul(q, k, false, true), pair.scale);
  const Var hidden = autograd::tanh(
      autograd::add(autograd::reshape(q, {B, H, T, 1, n}), autograd::reshape(k, {B, H, 1, S, n})));
  return autograd::sum(autograd::mul(hidden, autograd::reshape(pair.u, {1, pair.u.dim(0), 1, 1, n})), 4);
}

Var repeat_heads(const Var& x, int64_t times) {
  if (times == 1) return x;
  const int64_t B = x.dim(0), S = x.dim(1), G = x.dim(2), D = x.dim(3);
  const Var wide = autograd::broadcast_to(autograd::reshape(x, {B, S, G, 1, D}), {B, S, G, times, D});
  return autograd::reshape(wide, {B, S, G * times, D});
}

}  // namespace fovea::nn
