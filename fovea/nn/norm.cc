#include "fovea/nn/norm.h"

namespace fovea::nn {

using autograd::Var;
using autograd::watch;

LayerNorm::LayerNorm(int64_t width, bool bias, double eps) : eps_(eps) {
  weight_.value = Tensor::full({width}, 1);
  if (bias) bias_.value = Tensor::zeros({width});
}

Var LayerNorm::operator()(const Var& x) {
  return autograd::layer_norm(x, watch(weight_), bias_.value.defined() ? watch(bias_) : Var(), eps_);
}

autograd::ResidualNorm LayerNorm::operator()(const Var& x, const Var& residual) {
  return autograd::residual_layer_norm(x, residual, watch(weight_),
                                       bias_.value.defined() ? watch(bias_) : Var(), eps_);
}

void LayerNorm::collect(const std::string& prefix, ParameterList& list) {
  weight_.name = prefix + "weight";
  list.push_back(&weight_);
  if (!bias_.value.defined()) return;
  bias_.name = prefix + "bias";
  list.push_back(&bias_);
}

RmsNorm::RmsNorm(int64_t width, double eps) : eps_(eps) { weight_.value = Tensor::full({width}, 1); }

Var RmsNorm::operator()(const Var& x) { return autograd::rms_norm(x, watch(weight_), eps_); }

autograd::ResidualNorm RmsNorm::operator()(const Var& x, const Var& residual) {
  return autograd::residual_rms_norm(x, residual, watch(weight_), eps_);
}

void RmsNorm::collect(const std::string& prefix, ParameterList& list) {
  weight_.name = prefix + "weight";
  list.push_back(&weight_);
}

namespace {

std::variant<LayerNorm, RmsNorm> norm_of(int64_t width, const NormOptions& options) {
  check(options.kind == "layer" || options.kind == "rms", "norm",
        "there is no norm '{}': expected layer or rms", options.kind);
  if (options.kind == "rms") return RmsNorm(width, options.eps);
  return LayerNorm(width, options.bias, options.eps);
}

}  // namespace

Norm::Norm(int64_t width, const NormOptions& options) : norm_(norm_of(width, options)) {}

Var Norm::operator()(const Var& x) {
  return std::visit([&](auto& norm) { return norm(x); }, norm_);
}

autograd::ResidualNorm Norm::operator()(const Var& x, const Var& residual) {
  return std::visit([&](auto& norm) { return norm(x, residual); }, norm_);
}

void Norm::collect(const std::string& prefix, ParameterList& list) {
  std::visit([&](auto& norm) { norm.collect(prefix, list); }, norm_);
}

}  // namespace fovea::nn
