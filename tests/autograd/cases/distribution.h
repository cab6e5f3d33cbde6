#pragma once

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> distribution_cases() {
  using namespace autograd;
  const std::vector<Shapes> rows = {{{3, 5}}, {{1, 1}}, {{2, 2, 4}}};
  return {
      {"entropy", [](auto& in) { return entropy(in[0]); }, rows},
      {"kl_divergence",
       [](auto& in) { return kl_divergence(in[0], in[1]); },
       {{{3, 5}, {3, 5}}, {{2, 2, 4}, {2, 2, 4}}}},
      {"pick",
       [](auto& in) {
         return pick(in[0], Tensor::of<int32_t>({3}, std::vector<int32_t>{4, -1, 0}));
       },
       {{{3, 5}}}},
      {"gaussian_log_prob",
       [](auto& in) {
         return gaussian_log_prob(Tensor::full(in[0].shape(), 0.3, in[0].dtype()), in[0], 0.7);
       },
       {{{3, 2}}, {{1, 1}}, {{2, 2, 4}}, {{0, 2}}}},
      // Its value is the constant, its gradient that of the other: not a derivative.
      {.name = "straight_through",
       .run =
           [](auto& in) {
             return straight_through(in[0] * in[0], Tensor::full(in[0].shape(), 1, in[0].dtype()));
           },
       .shapes = {{{3, 5}}},
       .gradient_is_exact = false},
  };
}

}  // namespace fovea::testing
