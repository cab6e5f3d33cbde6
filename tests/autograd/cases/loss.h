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
  return {
      {"cross_entropy", with({}), shapes, large, domains},
      {"cross_entropy_of_one_class", with({}), {{{4, 1}, {4}}}, {}, domains},
      {"cross_entropy_summed", with({.reduction = Reduction::kSum}), shapes, large, domains},
      {"cross_entropy_smoothed", with({.label_smoothing = 0.1f}), shapes, large, domains},
      {"cross_entropy_with_ignored_rows", with({.label_smoothing = 0.2f, .ignore_index = 0}), shapes, large,
       domains},
  };
}

}  // namespace fovea::testing
