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

// Tensors joined along an axis; the other axes are equal.
Tensor concat(std::span<const Tensor> parts, int axis);
// Elements [begin, end) of an axis. Along the leading axis it is a view.
Tensor slice(const Tensor& x, int axis, int64_t begin, int64_t end);
// `before` and `after` elements of `value` put around an axis.
Tensor pad(const Tensor& x, int axis, int64_t before, int64_t after, double value);

// y[.., at + i, ..] = or += x[.., i, ..] along `axis`: where concat, pad and the gradient of slice put a
// part.
void put_part(const Tensor& x, Tensor& y, int axis, int64_t at, bool accumulate);

}  // namespace fovea::tensor
