// Rows for autograd/embedding.h.
#pragma once

#include "fovea/autograd/embedding.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> embedding_cases() {
  return {
      {"embedding",
       [](const auto& in) { return autograd::embedding(in[0], in[1].value()); },
       {{{5, 3}, {4}}, {{1, 1}, {1}}, {{3, 67}, {2, 5}}, {{4, 2}, {0}}, {{4, 0}, {3}}, {{6, 3}, {}}},
       {{{100, 300}, {40, 50}}, {{40, 64}, {1000}}},
       {normal(), ids(0)}},
  };
}

}  // namespace fovea::testing
