// Reductions. An axis that is reduced disappears, or stays with size 1 where `keep` says so. Negative axes
// count from the end.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// The sum of all elements, of shape []; 0 for none.
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, int axis, bool keep = false);
// The mean of all elements, and along an axis; there must be some.
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, int axis, bool keep = false);

// The largest elements along an axis, and the index (i32) of the first of each. The axis may not be empty.
struct Max {
  Tensor value, at;
};
Max max(const Tensor& x, int axis, bool keep = false);

// x's shape without `axis`, or with size 1 there.
Shape reduced_shape(const Shape& shape, int axis, bool keep);

}  // namespace fovea::tensor
