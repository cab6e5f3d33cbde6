// Parameters of layers: how they start, and how a model lists them.
#pragma once

#include <string>
#include <vector>

#include "fovea/autograd/tape.h"
#include "fovea/base/random.h"

namespace fovea::nn {

using autograd::Parameter;

// Every layer has collect(prefix, list): it names its parameters `prefix + "weight"` and the like, and
// appends them in a fixed order. Optimisers and checkpoints work on such lists.
using ParameterList = std::vector<Parameter*>;

// Uniform in +-sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010), the fans being the last two axes.
Tensor xavier_uniform(const Shape& shape, Random& random);
// Uniform in +-1 / sqrt(fan_in): how PyTorch starts the weights and biases of convolutions (Kaiming uniform, He et al. 2015, with a = sqrt(5)).
Tensor kaiming_uniform(const Shape& shape, int64_t fan_in, Random& random);
// Normal with mean 0.
Tensor normal(const Shape& shape, float deviation, Random& random);

}  // namespace fovea::nn
