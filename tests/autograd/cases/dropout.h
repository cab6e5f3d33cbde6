// Rows for autograd/dropout.h.
#pragma once

#include "fovea/autograd/dropout.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> dropout_cases() {
  return of_any_shape({
      {"dropout",
       [](const auto& in) { return autograd::dropout(in[0], 0.3f, 42, 7); },
       {{{3, 5}}, {{1}}, {{7, 29}}, {{0}}},
       {{{300, 333}}}},
      {"dropout_of_nothing", [](const auto& in) { return autograd::dropout(in[0], 0, 42, 7); }, {{{3, 5}}}},
  });
}

}  // namespace fovea::testing
