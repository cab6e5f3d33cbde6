// Rows for autograd/attention.h: q [B, T, H, D], k [B, S, G, D], v [B, S, G, M].
#pragma once

#include "fovea/autograd/attention.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

// Query i sees the keys up to i, and none where i is 1; one alone sees all.
inline autograd::MaskParts ranges(int64_t queries, int64_t keys) {
  autograd::MaskParts mask;
  mask.first = Tensor::zeros({1, 1, queries}, DType::kI32);
  mask.last = Tensor::zeros({1, 1, queries}, DType::kI32);
  for (int64_t i = 0; i < queries; ++i)
    mask.last.data<int32_t>()[i] = static_cast<int32_t>(i == 1         ? 0
                                                        : queries == 1 ? keys
                                                                       : std::min(i + 1, keys));
  return mask;
}

inline std::vector<OpCase> attention_cases() {
  using namespace autograd;
  const std::vector<Shapes> small = {{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}},
                                     {{1, 1, 1, 3}, {1, 4, 1, 3}, {1, 4, 1, 3}},
                                     {{2, 1, 2, 2}, {2, 2, 1, 2}, {2, 2, 1, 2}},
                                     {{1, 3, 2, 2}, {1, 2, 1, 2}, {1, 2, 1, 1}},
                                     {{2, 3, 1, 2}, {2, 3, 1, 2}, {2, 3, 1, 2}}},
                            large = {{{2, 110, 4, 16}, {2, 200, 2, 16}, {2, 200, 2, 24}},
                                     {{3, 1, 4, 20}, {3, 90, 4, 20}, {3, 90, 4, 20}}};
  const auto with = [](const std::vector<Shapes>& all, const std::function<Shape(const Shapes&)>& more) {
    std::vector<Shapes> result = all;
    for (Shapes& shapes : result) shapes.push_back(more(shapes));
    return result;
  };
  const auto u_of = [](const Shapes& s) { return Shape{s[0][2], s[0][3]}; };
  const auto bias_of = [](const Shapes& s) { return Shape{1, s[0][2], s[0][1], s[1][1]}; };
  const auto diagonal_of = [](const Shapes& s) { return Shape{1, s[0][1] + s[1][1] - 1}; };
  const auto centre_of = [](const Shapes& s) { return Shape{s[0][0], 1, s[0][1]}; };
  constexpr double kScale = 0.4;
  return {
      {"attention",
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[2], {}).context;
       },
       small, large},
      {"attention_causal",
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[2], ranges(in[0].dim(1), in[1].dim(1))).context;
       },
       small, large},
      {"attention_of_one_sequence",  // keys and values are one tensor
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[1], {}).context;
       },
       {{{1, 1, 1, 3}, {1, 4, 1, 3}}, {{2, 2, 2, 2}, {2, 2, 1, 2}}}},
      {"attention_of_joint_heads",
       [](auto& in) {
         return attention({in[0], 1, kScale}, {}).context;
       },
       {{{1, 1, 3, 2}}, {{2, 3, 4, 2}}},
       {{{2, 120, 6, 16}}}},
      {"attention_with_bias",
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[2], {.bias = in[3]}).context;
       },
       with(small, bias_of), with(large, bias_of)},
      {"attention_with_diagonal",
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[2], {.diagonal = in[3]}).context;
       },
       with(small, diagonal_of), with(large, diagonal_of)},
      {"attention_around_a_centre",
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[2], {.centre = in[3], .sigma = 1.5}).context;
       },
       with(small, centre_of),
       with(large, centre_of),
       {},
       1e-4},
      {"attention_with_dropout",
       [](auto& in) {
         return attention({in[0], in[1], {}, kScale}, in[2], {.dropout = 0.3f, .seed = 3, .step = 5}).context;
       },
       small, large},
      {"additive_attention",
       [](auto& in) {
         return attention({in[0], in[1], in[3]}, in[2], {}).context;
       },
       with(small, u_of),
       with({large[1]}, u_of),
       {},
       3e-5},
      {"additive_attention_causal",
       [](auto& in) {
         return attention({in[0], in[1], in[3]}, in[2], ranges(in[0].dim(1), in[1].dim(1))).context;
       },
       with(small, u_of)},
  };
}

}  // namespace fovea::testing
