// Rows for autograd/positions.h.
#pragma once

#include "fovea/autograd/positions.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> positions_cases() {
  return {
      {"rope",
       [](const auto& in) { return autograd::rope(in[0], 3, 100); },
       {{{2, 3, 2, 4}}, {{1, 1, 1, 2}}, {{1, 4, 3, 22}}, {{0, 3, 2, 4}}, {{2, 0, 2, 4}}, {{2, 3, 2, 0}}},
       {{{2, 300, 4, 64}}}},
      {"rope_at_given_positions",
       [](const auto& in) {
         const Tensor& x = in[0].value();
         return autograd::rope(in[0], tensor::rotary_table_at(in[1].value(), x.dim(3), 10000, x.dtype()));
       },
       {{{2, 3, 2, 4}, {2, 3}}},
       {{{2, 300, 4, 64}, {2, 300}}},
       {normal(), ids(1)}},
  };
}

}  // namespace fovea::testing
