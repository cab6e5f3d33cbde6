#pragma once

#include "fovea/autograd/mask.h"
#include "fovea/autograd/normalise.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> mask_cases() {
  using namespace autograd;
  // After softmax, because the hidden entries themselves are -inf.
  auto hidden = [](const Shape& shape) {
    return [shape](const std::vector<Var>& in) {
      Tensor visible = Tensor::empty(shape, DType::kU8);
      for (int64_t i = 0; i < visible.size(); ++i) visible.data<uint8_t>()[i] = i % 3 != 1;
      return softmax(hide(in[0], visible));
    };
  };
  return {
      {"hide", hidden({2, 2, 3, 4}), {{{2, 2, 3, 4}}}},
      {"hide_shared", hidden({1, 2, 1, 4}), {{{2, 2, 3, 4}}}},
      {"by_distance", [](auto& in) { return by_distance(in[0], 3, 4); }, {{{2, 6}}}},
  };
}

}  // namespace fovea::testing
