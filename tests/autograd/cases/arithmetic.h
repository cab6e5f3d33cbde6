#pragma once

#include "fovea/autograd/arithmetic.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

// Every way in which two shapes can be combined.
inline std::vector<Shapes> broadcast_shapes() {
  return {{{3, 5}, {3, 5}},
          {{}, {}},
          {{1}, {1}},
          {{3, 5}, {}},
          {{}, {3, 5}},
          {{3, 5}, {5}},
          {{5}, {3, 5}},
          {{3, 5}, {3, 1}},
          {{3, 1}, {3, 5}},
          {{3, 1}, {1, 5}},
          {{2, 3, 4}, {3, 1}},
          {{2, 1, 4}, {2, 3, 1}},
          {{2, 3, 4, 2}, {1, 3, 1, 2}},
          {{2, 1, 1, 3}, {1, 4, 2, 1}},
          {{0, 5}, {5}},
          {{0}, {1}},
          {{7, 129}, {129}},
          {{4, 1, 3}, {1, 1, 3}}};
}
inline std::vector<Shapes> large_broadcast_shapes() {
  return {{{300, 400}, {300, 400}}, {{300, 400}, {400}}, {{300, 400}, {300, 1}}, {{40, 1, 60}, {1, 50, 60}}};
}

inline std::vector<OpCase> arithmetic_cases() {
  using namespace autograd;
  const auto small = broadcast_shapes(), large = large_broadcast_shapes();
  const std::vector<Shapes> one = {{{3, 5}}, {{}}, {{0, 2}}, {{7, 129}}}, one_large = {{{300, 400}}};
  std::vector<OpCase> all = of_any_shape({
      {"add", [](auto& in) { return in[0] + in[1]; }, small, large},
      {"sub", [](auto& in) { return in[0] - in[1]; }, small, large},
      {"mul", [](auto& in) { return in[0] * in[1]; }, small, large},
      {"div", [](auto& in) { return in[0] / in[1]; }, small, large, {normal(), away_from_zero()}},
      {"add_to_itself", [](auto& in) { return in[0] + in[0]; }, one, one_large},
      {"square_by_mul", [](auto& in) { return in[0] * in[0]; }, one, one_large},
      {"neg", [](auto& in) { return -in[0]; }, one, one_large},
      {"scale", [](auto& in) { return 0.3 * in[0]; }, one, one_large},
      {"add_scalar", [](auto& in) { return in[0] - 0.3; }, one, one_large},
  });
  all.push_back({"broadcast_to",
                 [](auto& in) {
                   return broadcast_to(in[0], {4, 3, 5});
                 },
                 {{{3, 5}}, {{5}}, {{}}, {{4, 1, 5}}, {{3, 1}}}});
  return all;
}

}  // namespace fovea::testing
