// A tensor seen as a matrix: every axis but the last makes up its rows.
#pragma once

#include <string_view>

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

struct Rows {
  int64_t count, cols;
};

// Throws for an undefined tensor and for a scalar, which has no rows.
inline Rows rows_of(const Tensor& x, std::string_view who) {
  check(x.defined(), who, "the input is undefined");
  check(x.rank() > 0, who, "a scalar has no rows: expected at least one axis");
  return {x.shape().product(0, x.rank() - 1), x.dim(-1)};
}

}  // namespace fovea::tensor
