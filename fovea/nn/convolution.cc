#include "fovea/nn/convolution.h"

#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"

namespace fovea::nn {
namespace {

// A filter bank's weights and bias, named and appended.
void collect_filters(Parameter& weight, Parameter& bias, const std::string& prefix, ParameterList& list) {
  weight.name = prefix + "weight";
  list.push_back(&weight);
  if (!bias.value.defined()) return;
  bias.name = prefix + "bias";
  list.push_back(&bias);
}

autograd::Var watch_if_there(Parameter& p) {
  return p.value.defined() ? autograd::watch(p) : autograd::Var();
}

}  // namespace

Convolution::Convolution(const ConvolutionLayer& l, Random& random)
    : options_{.stride = l.stride, .padding = l.padding, .dilation = l.dilation, .groups = l.groups} {
  check(l.groups >= 1 && l.in % l.groups == 0, "convolution", "{} groups do not divide {} channels evenly",
        l.groups, l.in);
  const int64_t fan_in = l.kernel * l.kernel * l.in / l.groups;
  weight_.value = kaiming_uniform({l.out, l.kernel, l.kernel, l.in / l.groups}, fan_in, random);
  if (l.bias) bias_.value = kaiming_uniform({l.out}, fan_in, random);
}

autograd::Var Convolution::operator()(const autograd::Var& x) {
  return autograd::convolution(x, autograd::watch(weight_), watch_if_there(bias_), options_);
}

void Convolution::collect(const std::string& prefix, ParameterList& list) {
  collect_filters(weight_, bias_, prefix, list);
}

PatchEmbedding::PatchEmbedding(int64_t in, int64_t out, int64_t size, bool bias, Random& random)
    : size_(size) {
  const int64_t fan_in = size * size * in;
  weight_.value = kaiming_uniform({out, size, size, in}, fan_in, random);
  if (bias) bias_.value = kaiming_uniform({out}, fan_in, random);
}

autograd::Var PatchEmbedding::operator()(const autograd::Var& x) {
  const autograd::Var weight = autograd::reshape(autograd::watch(weight_), {weight_.value.dim(0), -1});
  return autograd::linear(autograd::patches(x, size_), weight, watch_if_there(bias_));
}

void PatchEmbedding::collect(const std::string& prefix, ParameterList& list) {
  collect_filters(weight_, bias_, prefix, list);
}

}  // namespace fovea::nn
