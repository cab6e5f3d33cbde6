#pragma once

#include "fovea/autograd/activations.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> activations_cases() {
  using namespace autograd;
  const std::vector<Shapes> small = {{{3, 5}}, {{}}, {{0, 2}}, {{7, 129}}}, large = {{{300, 401}}};
  return of_any_shape({
      {"exp", [](auto& in) { return exp(in[0]); }, small, large},
      {"log", [](auto& in) { return log(in[0]); }, small, large, {positive()}},
      {"sqrt", [](auto& in) { return sqrt(in[0]); }, small, large, {positive()}},
      {"square", [](auto& in) { return square(in[0]); }, small, large},
      {"tanh", [](auto& in) { return tanh(in[0]); }, small, large},
      {"sigmoid", [](auto& in) { return sigmoid(in[0]); }, small, large},
      {"relu", [](auto& in) { return relu(in[0]); }, small, large, {away_from_zero()}},
      {"gelu", [](auto& in) { return gelu(in[0]); }, small, large},
      {"gelu_tanh", [](auto& in) { return gelu_tanh(in[0]); }, small, large},
      {"silu", [](auto& in) { return silu(in[0]); }, small, large},
      {"quick_gelu", [](auto& in) { return quick_gelu(in[0]); }, small, large},
  });
}

}  // namespace fovea::testing
