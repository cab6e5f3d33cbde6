#include "fovea/nn/embedding.h"

#include <cmath>

#include "fovea/autograd/embedding.h"

namespace fovea::nn {

Embedding::Embedding(int64_t ids, int64_t width, Random& random) {
  weight_.value = normal({ids, width}, 1 / std::sqrt(static_cast<float>(width)), random);
}

autograd::Var Embedding::operator()(const Tensor& ids) {
  return autograd::embedding(autograd::watch(weight_), ids);
}

void Embedding::collect(const std::string& prefix, ParameterList& list) {
  weight_.name = prefix + "weight";
  list.push_back(&weight_);
}

}  // namespace fovea::nn
