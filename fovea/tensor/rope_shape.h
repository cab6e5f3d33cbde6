// What the rotary kernel needs to know of its tensors; throws where they do not fit.
#pragma once

#include "fovea/kernels/rope.h"
#include "fovea/tensor/positions.h"

namespace fovea::tensor {

inline kernels::RopeShape rope_shape(const Tensor& x, const RotaryTable& table, int64_t turned) {
  if (!x.defined() || x.rank() != 4)
    fail("rope", "the input has shape {}: expected [B, L, H, D]", x.shape().str());
  check(table.cos.defined() && table.sin.defined(), "rope", "the table is undefined");
  const int64_t tokens = x.dim(0) * x.dim(1), rows = table.cos.dim(0);
  if (x.dim(3) % 2 != 0 || table.cos.dim(1) != x.dim(3) / 2 || (rows != x.dim(1) && rows != tokens))
    fail("rope",
         "a table of shape {} for an input of shape {}: expected [{} or {}, {} / 2], heads of even width",
         table.cos.shape().str(), x.shape().str(), x.dim(1), tokens, x.dim(3));
  check(table.cos.shape() == table.sin.shape() && table.cos.dtype() == x.dtype() &&
            table.sin.dtype() == x.dtype(),
        "rope", "the table and the input ({}) differ in type, or its two halves in shape",
        name_of(x.dtype()));
  check(turned >= 0 && turned <= x.dim(2), "rope", "{} heads to be turned of {}", turned, x.dim(2));
  return {.tokens = tokens,
          .heads = x.dim(2),
          .width = x.dim(3),
          .positions = rows,
          .copied = turned > 0 ? x.dim(2) - turned : 0};
}

}  // namespace fovea::tensor
