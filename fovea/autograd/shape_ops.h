// Operations that move elements and compute nothing. Shapes as in fovea/tensor/shape_ops.h.
#pragma once

#include <initializer_list>
#include <span>

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

// The same elements in another shape; one size may be -1 and is then worked out. A view.
Var reshape(const Var& x, std::initializer_list<int64_t> sizes);
Var reshape(const Var& x, const Shape& shape);
Var permute(const Var& x, std::initializer_list<int> order);
Var transpose(const Var& x, int axis_a, int axis_b);
Var concat(std::span<const Var> parts, int axis);
inline Var concat(std::initializer_list<Var> parts, int axis) {
  return concat(std::span<const Var>(parts.begin(), parts.size()), axis);
}
Var slice(const Var& x, int axis, int64_t begin, int64_t end);
// Slices of an axis chosen by number, in that order; a number may come several times. ids is i32 [n].
Var gather(const Var& x, int axis, const Tensor& ids);
Var pad(const Var& x, int axis, int64_t before, int64_t after, double value = 0);

}  // namespace fovea::autograd
