// Rows for autograd/loss.h.
#pragma once

#include "fovea/autograd/loss.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> loss_cases() {
  const std::vector<Shapes> shapes = {
      {{3, 5}, {3}}, {{1, 2}, {1}}, {{7, 129}, {7}}, {{2, 3, 4}, {2, 3}}, {{0, 5}, {0}}};
  const std::vector<Shapes> large = {{{512, 128}, {512}}, {{16, 32000}, {16}}};
  const std::vector<Domain> domains = {normal(), ids(-1)};
  auto with = [](CrossEntropyOptions options) {
    return [options](const auto& in) { return autograd::cross_entropy(in[0], in[1].value(), options); };
  };
  const std::vector<Shapes> linear = {{{3, 4}, {5, 4}, {5}, {3}},
                                      {{1, 1}, {2, 1}, {2}, {1}},
                                      {{2, 3, 4}, {7, 4}, {7}, {2, 3}},
                                      {{0, 4}, {5, 4}, {5}, {0}}};
  // Wide enough for two chunks of rows, of 64 and 6.
  const std::vector<Shapes> large_linear = {{{70, 3}, {140000, 3}, {140000}, {70}},
                                            {{300, 64}, {500, 64}, {500}, {300}}};
  const std::vector<Domain> linear_domains = {normal(), normal(), normal(), ids(-1)};
  auto linear_with = [](CrossEntropyOptions options) {
    return [options](const auto& in) {
      return autograd::linear_cross_entropy(in[0], in[1], in[2], in[3].value(), options);
    };
  };
  return {
      {"cross_entropy", with({}), shapes, large, domains},
      {"cross_entropy_of_one_class", with({}), {{{4, 1}, {4}}}, {}, domains},
      {"cross_entropy_summed", with({.reduction = Reduction::kSum}), shapes, large, domains},
      {"cross_entropy_smoothed", with({.label_smoothing = 0.1f}), shapes, large, domains},
      {"cross_entropy_with_ignored_rows", with({.label_smoothing = 0.2f, .ignore_index = 0}), shapes, large,
       domains},
      {"linear_cross_entropy", linear_with({}), linear, large_linear, linear_domains, 2e-5},
      {"linear_cross_entropy_smoothed_with_ignored_rows",
       linear_with({.label_smoothing = 0.2f, .ignore_index = 0}), linear, large_linear, linear_domains, 2e-5},
      {"linear_cross_entropy_without_bias",
       [](const auto& in) { return autograd::linear_cross_entropy(in[0], in[1], Var(), in[2].value()); },
       {{{3, 4}, {4, 4}, {3}}},
       {},
       {normal(), normal(), ids(-1)}},
  };
}

}  // namespace fovea::testing
