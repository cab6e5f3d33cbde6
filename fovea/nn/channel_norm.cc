#include "fovea/nn/channel_norm.h"

namespace fovea::nn {
namespace {

void start_gain(Parameter& weight, Parameter& bias, int64_t channels) {
  weight.value = Tensor::full({channels}, 1);
  bias.value = Tensor::zeros({channels});
}

void collect_gain(Parameter& weight, Parameter& bias, const std::string& prefix, ParameterList& list) {
  weight.name = prefix + "weight";
  bias.name = prefix + "bias";
  list.push_back(&weight);
  list.push_back(&bias);
}

// running = (1 - momentum) running + momentum factor batch
void move_towards(const Tensor& batch, double momentum, double factor, Tensor& running) {
  for (int64_t c = 0; c < running.size(); ++c) {
    float& to = running.data<float>()[c];
    to = static_cast<float>((1 - momentum) * static_cast<double>(to) +
                            momentum * factor * static_cast<double>(batch.data<float>()[c]));
  }
}

}  // namespace

BatchNorm::BatchNorm(int64_t channels, double eps, double momentum)
    : running_mean_(Tensor::zeros({channels})),
      running_variance_(Tensor::full({channels}, 1)),
      eps_(eps),
      momentum_(momentum) {
  start_gain(weight_, bias_, channels);
}

autograd::Var BatchNorm::operator()(const autograd::Var& x, bool is_training) {
  using autograd::watch;
  if (!is_training)
    return autograd::batch_norm(x, watch(weight_), watch(bias_), running_mean_, running_variance_, eps_);
  autograd::BatchNormed n = autograd::batch_norm(x, watch(weight_), watch(bias_), eps_);
  const auto count = static_cast<double>(x.value().size() / weight_.value.size());
  check(count > 1, "batch_norm", "training on one number a channel: expected more pictures or pixels");
  move_towards(n.mean, momentum_, 1, running_mean_);
  move_towards(n.variance, momentum_, count / (count - 1), running_variance_);
  return n.y;
}

void BatchNorm::collect(const std::string& prefix, ParameterList& list) {
  collect_gain(weight_, bias_, prefix, list);
}

void BatchNorm::collect_state(const std::string& prefix, StateList& list) {
  list.emplace_back(prefix + "running_mean", running_mean_);
  list.emplace_back(prefix + "running_var", running_variance_);
}

GroupNorm::GroupNorm(int64_t groups, int64_t channels, double eps) : groups_(groups), eps_(eps) {
  check(groups >= 1 && channels % groups == 0, "group_norm", "{} groups do not divide {} channels evenly",
        groups, channels);
  start_gain(weight_, bias_, channels);
}

autograd::Var GroupNorm::operator()(const autograd::Var& x) {
  return autograd::group_norm(x, autograd::watch(weight_), autograd::watch(bias_), groups_, eps_);
}

void GroupNorm::collect(const std::string& prefix, ParameterList& list) {
  collect_gain(weight_, bias_, prefix, list);
}

}  // namespace fovea::nn
