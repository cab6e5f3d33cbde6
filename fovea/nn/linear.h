// y = x W^T + b.
#pragma once

#include "fovea/nn/parameter.h"

namespace fovea::nn {

class Linear {
 public:
  Linear(int64_t in, int64_t out, bool bias, Random& random);
  // With these first weights [out, in]; the bias starts at 0.
  Linear(Tensor weight, bool bias);

  // x [.., in] -> [.., out].
  autograd::Var operator()(const autograd::Var& x);
  autograd::Var weight() { return autograd::watch(weight_); }
  autograd::Var bias() { return bias_.value.defined() ? autograd::watch(bias_) : autograd::Var(); }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_, bias_;  // [out, in] and [out]; bias_ is undefined where there is none
};

}  // namespace fovea::nn
