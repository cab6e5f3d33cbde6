// A vector for each id.
#pragma once

#include "fovea/nn/parameter.h"

namespace fovea::nn {

class Embedding {
 public:
  Embedding(int64_t ids, int64_t width, Random& random);

  // i32 [..] -> [.., width].
  autograd::Var operator()(const Tensor& ids);
  // The table itself, [ids, width], for an output layer that shares it.
  autograd::Var table() { return autograd::watch(weight_); }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_;  // [ids, width]
};

}  // namespace fovea::nn
