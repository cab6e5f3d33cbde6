#include "fovea/nn/linear.h"

#include "fovea/autograd/matmul.h"

namespace fovea::nn {

using autograd::Var;

Linear::Linear(int64_t in, int64_t out, bool bias, Random& random)
    : Linear(xavier_uniform({out, in}, random), bias) {}

Linear::Linear(Tensor weight, bool bias) {
  if (bias) bias_.value = Tensor::zeros({weight.dim(0)});
  weight_.value = std::move(weight);
}

Var Linear::operator()(const Var& x) { return autograd::linear(x, weight(), bias()); }

void Linear::collect(const std::string& prefix, ParameterList& list) {
  weight_.name = prefix + "weight";
  list.push_back(&weight_);
  if (!bias_.value.defined()) return;
  bias_.name = prefix + "bias";
  list.push_back(&bias_);
}

}  // namespace fovea::nn
