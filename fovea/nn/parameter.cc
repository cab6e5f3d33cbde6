#include "fovea/nn/parameter.h"

#include <cmath>

namespace fovea::nn {

Tensor xavier_uniform(const Shape& shape, Random& random) {
  const int64_t out = shape.rank() > 1 ? shape[-2] : 1, in = shape.rank() > 0 ? shape[-1] : 1;
  const float limit = std::sqrt(6.0f / static_cast<float>(std::max<int64_t>(1, in + out)));
  Tensor x = Tensor::empty(shape);
  for (float& v : x.span<float>()) v = random.uniform(-limit, limit);
  return x;
}

Tensor kaiming_uniform(const Shape& shape, int64_t fan_in, Random& random) {
  const float limit = 1.0f / std::sqrt(static_cast<float>(std::max<int64_t>(1, fan_in)));
  Tensor x = Tensor::empty(shape);
  for (float& v : x.span<float>()) v = random.uniform(-limit, limit);
  return x;
}

Tensor normal(const Shape& shape, float deviation, Random& random) {
  Tensor x = Tensor::empty(shape);
  for (float& v : x.span<float>()) v = deviation * random.normal();
  return x;
}

}  // namespace fovea::nn
