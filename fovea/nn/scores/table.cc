#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/base/nearest.h"
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
  fail("score", "there is no score '{}': did you mean '{}'?", name, nearest(name, names, 1).front());
}

Var repeat_heads(const Var& x, int64_t times) {
  if (times == 1) return x;
  const int64_t B = x.dim(0), S = x.dim(1), G = x.dim(2), D = x.dim(3);
  const Var wide = autograd::broadcast_to(autograd::reshape(x, {B, S, G, 1, D}), {B, S, G, times, D});
  return autograd::reshape(wide, {B, S, G * times, D});
}

}  // namespace fovea::nn
