#include "fovea/nn/weigh/estimators.h"

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::nn {
namespace {

// sum over rows of (cost - baseline) log p(at).
Var score_function(const Var& e, const HardLoss& x) {
  const Var advantage = autograd::add_scalar(x.cost, -x.baseline);
  return autograd::sum(autograd::mul(autograd::pick(autograd::log_softmax(e), x.at), advantage));
}

Var reinforce(const HardLoss& x) {
  const Var term = score_function(x.prior, x);
  if (x.entropy_weight == 0) return term;
  return autograd::sub(term, autograd::scale(autograd::sum(autograd::entropy(x.prior)), x.entropy_weight));
}

Var variational(const HardLoss& x) {
  check(x.posterior.defined(), "variational",
        "no posterior: it needs the scores of q, which has seen the target");
  return autograd::add(score_function(x.posterior, x),
                       autograd::sum(autograd::kl_divergence(x.posterior, x.prior)));
}

Var exact(const HardLoss& x) {
  check(x.costs.defined(), "exact", "no costs: it needs the cost of every position");
  return autograd::sum(autograd::mul(autograd::softmax(x.prior), x.costs));
}

Var none(const HardLoss&) { return {}; }

constexpr Estimator kTable[] = {
    {"reinforce", "score function with a moving baseline and an entropy term (Xu et al. 2015)", true, true,
     "sample", reinforce},
    {"variational", "evidence lower bound with a posterior that has seen the target (Deng et al. 2018)", true,
     true, "sample", variational},
    {"gumbel", "straight-through Gumbel softmax (Jang et al. 2017); biased", false, false, "gumbel", none},
    {"exact", "the sum over all positions; the oracle", true, false, "sample", exact},
};

}  // namespace

void Baseline::update(const Tensor& cost) {
  double sum = 0;
  for_float(cost.dtype(), "baseline", [&](auto zero) {
    for (auto c : cost.span<decltype(zero)>()) sum += c;
  });
  if (cost.size() == 0) return;
  const double mean = sum / static_cast<double>(cost.size());
  float* state = state_.data<float>();
  state[0] = static_cast<float>(state[1] != 0 ? keep_ * state[0] + (1 - keep_) * mean : mean);
  state[1] = 1;
}

std::span<const Estimator> estimator_table() { return kTable; }

const Estimator& estimator_named(std::string_view name) {
  for (const Estimator& estimator : kTable)
    if (name == estimator.name) return estimator;
  std::vector<std::string> names;
  for (const Estimator& estimator : kTable) names.emplace_back(estimator.name);
  fail("estimator", "there is no estimator {}: did you mean '{}'?", quote(name),
       nearest(name, names, 1).front());
}

}  // namespace fovea::nn
