#pragma once

#include "fovea/autograd/matmul.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> matmul_cases() {
  using namespace autograd;
  const auto product = [](bool ta, bool tb) {
    return [=](auto& in) { return matmul(in[0], in[1], ta, tb); };
  };
  return {
      {"matmul",
       product(false, false),
       {{{3, 4}, {4, 5}},
        {{1, 1}, {1, 1}},
        {{2, 3, 4}, {2, 4, 5}},
        {{2, 3, 4}, {4, 5}},
        {{2, 2, 2, 3}, {2, 2, 3, 1}},
        {{3, 0}, {0, 5}},
        {{0, 4}, {4, 5}},
        {{2, 0, 3}, {3, 2}},
        {{0, 2, 3}, {3, 2}}},
       {{{768, 128}, {128, 512}}, {{300, 64, 40}, {300, 40, 64}}}},
      {"matmul_left_transposed",
       product(true, false),
       {{{4, 3}, {4, 5}}, {{2, 4, 3}, {2, 4, 5}}, {{2, 4, 3}, {4, 5}}, {{0, 3}, {0, 5}}},
       {{{512, 300}, {512, 260}}}},
      {"matmul_right_transposed",
       product(false, true),
       {{{3, 4}, {5, 4}}, {{2, 3, 4}, {2, 5, 4}}, {{2, 3, 4}, {5, 4}}},
       {{{768, 128}, {512, 128}}}},
      {"matmul_both_transposed",
       product(true, true),
       {{{4, 3}, {5, 4}}, {{2, 4, 3}, {2, 5, 4}}, {{2, 4, 3}, {5, 4}}},
       {{{130, 400}, {500, 130}}}},
      {"linear",
       [](auto& in) { return linear(in[0], in[1], in[2]); },
       {{{3, 4}, {5, 4}, {5}},
        {{2, 3, 4}, {5, 4}, {5}},
        {{4}, {5, 4}, {5}},
        {{0, 4}, {5, 4}, {5}},
        {{3, 0}, {5, 0}, {5}}},
       {{{768, 128}, {512, 128}, {512}}, {{16, 60, 512}, {300, 512}, {300}}}},
      {"linear_without_bias",
       [](auto& in) { return linear(in[0], in[1], Var()); },
       {{{3, 4}, {5, 4}}, {{2, 1, 4}, {1, 4}}},
       {{{512, 128}, {512, 128}}}},
  };
}

}  // namespace fovea::testing
