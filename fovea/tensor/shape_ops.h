// Operations that move elements and compute nothing. Negative axes count from the end.
#pragma once

#include <array>
#include <span>

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// Axis i of the result is axis order[i] of x.
using Order = std::array<int, Shape::kMaxRank>;
Tensor permute(const Tensor& x, std::span<const int> order);
inline Tensor permute(const Tensor& x, std::initializer_list<int> order) {
  return permute(x, std::span<const int>(order.begin(), order.size()));
}
// Two axes change places.
Tensor transpose(const Tensor& x, int axis_a, int axis_b);

// y[.., at + i, ..] = or += x[.., i, ..] along `axis`: where concat, pad and the gradient of slice put a
// part.
void put_part(const Tensor& x, Tensor& y, int axis, int64_t at, bool accumulate);

// Makes `whole` longer along `axis` by the size of `part`; throws where the other axes or the types differ.
void join_shape(Shape& whole, DType type, const Tensor& part, int axis);

// Tensors joined along an axis; the other axes are equal. part(i) is the i-th of `count` tensors.
template <typename F>
Tensor concat(size_t count, int axis, F&& part) {
  check(count > 0, "concat", "no tensors: expected one or more");
  Shape shape = part(0).shape();
  axis = shape.axis(axis, "concat");
  for (size_t i = 1; i < count; ++i) join_shape(shape, part(0).dtype(), part(i), axis);
  Tensor y = Tensor::empty(shape, part(0).dtype());
  int64_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    put_part(part(i), y, axis, at, false);
    at += part(i).dim(axis);
  }
  return y;
}
inline Tensor concat(std::span<const Tensor> parts, int axis) {
  return concat(parts.size(), axis, [&](size_t i) -> const Tensor& { return parts[i]; });
}
// Elements [begin, end) of an axis. Along the leading axis it is a view.
Tensor slice(const Tensor& x, int axis, int64_t begin, int64_t end);
// `before` and `after` elements of `value` put around an axis.
Tensor pad(const Tensor& x, int axis, int64_t before, int64_t after, double value);

}  // namespace fovea::tensor
