// How hard attention learns. A model reads one position z and pays a cost, say -log p(y | z). The gradient
// through the values it read is ordinary; the gradient to the scores that chose z must be estimated. Each
// estimator is a term that is added to the loss:
//
//   reinforce    (cost - baseline) log p(z) - entropy_weight H(p)
//                unbiased for E_p[cost] - entropy_weight H(p)
//   variational  (cost - baseline) log q(z) + KL(q || p), with z drawn from q
//                unbiased for E_q[cost] + KL(q || p)
//   gumbel       nothing: the gradient flows through the weights; biased
//   exact        sum_j p_j cost_j, with the cost of every position: no estimate, the oracle
//
// reinforce: Xu et al. 2015 after Williams 1992. variational: Deng et al. 2018; q is a posterior that has
// also seen the target, and the loss is the negative evidence lower bound. gumbel: Jang et al. 2017.
#pragma once

#include <span>
#include <string_view>

#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {

// A moving mean of the cost, subtracted from it: less noise, the same mean gradient, because it does not
// depend on the draw that it is subtracted from.
class Baseline {
 public:
  explicit Baseline(double keep = 0.9) : keep_(keep), state_(Tensor::zeros({2})) {}
  double value() const { return state_.data<float>()[0]; }
  // After the step that used value().
  void update(const Tensor& cost);
  // What a checkpoint keeps of it, f32 [2]; its own, not a copy.
  const Tensor& state() const { return state_; }

 private:
  double keep_;
  Tensor state_;  // f32: the mean, and whether there is one
};

// What an estimator may use; which ones it needs is said above.
struct HardLoss {
  Var prior;      // masked scores e of p, [.., S]
  Var posterior;  // masked scores of q, [.., S]: variational
  Tensor at;      // the positions read, i32 [..]
  Tensor cost;    // the cost of each, [..], as numbers
  Var costs;      // the cost of every position, [.., S]: exact
  double baseline = 0;
  double entropy_weight = 0;  // reinforce
};

struct Estimator {
  const char* name;
  const char* what;
  bool unbiased;
  bool needs_cost;    // HardLoss::cost
  const char* weigh;  // how positions are read while it learns: a row of weigh_table()
  // The term to add, summed over rows. Undefined where there is none to add.
  Var (*term)(const HardLoss&);
};
std::span<const Estimator> estimator_table();
const Estimator& estimator_named(std::string_view name);

}  // namespace fovea::nn
