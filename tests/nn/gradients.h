// The gradient check of operations (tests/autograd), for functions of layers.
#pragma once

#include "tests/autograd/op_checks.h"

namespace fovea::testing {

// d f / d input against central differences in f64, on random numbers of the shapes of `inputs`.
inline void expect_gradients(const std::vector<Tensor>& inputs,
                             std::function<Var(const std::vector<Var>&)> f) {
  Shapes shapes;
  for (const Tensor& x : inputs) shapes.push_back(x.shape());
  const OpCase row = {.name = "nn", .run = std::move(f), .shapes = {shapes}};
  EXPECT_TRUE(gradient_is_the_derivative(row, shapes));
}

}  // namespace fovea::testing
