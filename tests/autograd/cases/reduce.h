#pragma once

#include "fovea/autograd/reduce.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> reduce_cases() {
  using namespace autograd;
  const std::vector<Shapes> cubes = {{{2, 3, 4}}, {{1, 1, 1}}, {{3, 5, 33}}}, large = {{{60, 50, 40}}};
  return {
      {"sum", [](auto& in) { return sum(in[0]); }, {{{3, 5}}, {{}}, {{0, 2}}, {{7, 129}}}, {{{700, 300}}}},
      {"sum_first", [](auto& in) { return sum(in[0], 0); }, cubes, large},
      {"sum_middle", [](auto& in) { return sum(in[0], 1, true); }, cubes, large},
      {"sum_last", [](auto& in) { return sum(in[0], -1); }, cubes, large},
      {"sum_of_empty_axis", [](auto& in) { return sum(in[0], 1); }, {{{2, 0, 3}}, {{0, 2, 3}}}},
      {"mean", [](auto& in) { return mean(in[0]); }, {{{3, 5}}, {{}}, {{7, 129}}}, {{{700, 300}}}},
      {"mean_last", [](auto& in) { return mean(in[0], -1, true); }, cubes, large},
      {"max_first", [](auto& in) { return max(in[0], 0); }, cubes, large, {distinct()}},
      {"max_last", [](auto& in) { return max(in[0], 2, true); }, cubes, large, {distinct()}},
  };
}

}  // namespace fovea::testing
