// Rows for autograd/normalise.h.
#pragma once

#include "fovea/autograd/normalise.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> normalise_cases() {
  return {
      {"softmax",
       [](const auto& in) { return autograd::softmax(in[0]); },
       {{{3, 5}}, {{1, 1}}, {{7, 129}}, {{2, 3, 4}}, {{0, 5}}, {{5, 0}}, {{6}}},
       {{{512, 128}}, {{16, 32000}}}},
      {"log_softmax",
       [](const auto& in) { return autograd::log_softmax(in[0]); },
       {{{3, 5}}, {{1, 1}}, {{7, 129}}, {{2, 3, 4}}, {{0, 5}}, {{5, 0}}, {{6}}},
       {{{512, 128}}, {{16, 32000}}}},
  };
}

}  // namespace fovea::testing
