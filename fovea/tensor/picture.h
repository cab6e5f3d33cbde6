// Pictures are [B, height, width, channels].
#pragma once

#include <string_view>

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

inline void check_picture(const Tensor& x, std::string_view who) {
  check(x.defined(), who, "the input is undefined");
  if (x.rank() != 4)
    fail(who, "the input has shape {}: expected pictures [B, height, width, channels]", x.shape().str());
}

}  // namespace fovea::tensor
