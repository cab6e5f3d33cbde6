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
// Normal with mean 0.
Tensor normal(const Shape& shape, float deviation, Random& random);

}  // namespace fovea::nn
