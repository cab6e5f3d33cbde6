#include "fovea/tensor/reduce.h"

#include "fovea/kernels/reduce.h"

namespace fovea::tensor {
namespace {

Tensor scaled_sum(const Tensor& x, int64_t outer, int64_t n, int64_t inner, const Shape& shape,
                  double alpha) {
  Tensor y = Tensor::empty(shape, x.dtype());
  for_float(x.dtype(), "sum", [&](auto t) {
    using T = decltype(t);
    kernels::sum_axis(x.data<T>(), y.data<T>(), outer, n, inner, static_cast<T>(alpha), T{0});
  });
  return y;
}

Tensor scaled_sum(const Tensor& x, int axis, bool keep, double alpha) {
  return scaled_sum(x, x.shape().product(0, axis), x.dim(axis), x.shape().product(axis + 1, x.rank()),
                    reduced_shape(x.shape(), axis, keep), alpha);
}

}  // namespace

Shape reduced_shape(const Shape& shape, int axis, bool keep) {
  Shape y;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != axis)
      y.push_back(shape[i]);
    else if (keep)
      y.push_back(1);
  }
  return y;
}

Tensor sum(const Tensor& x) { return scaled_sum(x, 1, x.size(), 1, {}, 1); }
Tensor sum(const Tensor& x, int axis, bool keep) {
  return scaled_sum(x, x.shape().axis(axis, "sum"), keep, 1);
}

Tensor mean(const Tensor& x) {
  if (x.size() == 0) fail("mean", "a tensor of shape {} has no elements", x.shape().str());
  return scaled_sum(x, 1, x.size(), 1, {}, 1 / static_cast<double>(x.size()));
}
Tensor mean(const Tensor& x, int axis, bool keep) {
  axis = x.shape().axis(axis, "mean");
  if (x.dim(axis) == 0) fail("mean", "axis {} of shape {} is empty", axis, x.shape().str());
  return scaled_sum(x, axis, keep, 1 / static_cast<double>(x.dim(axis)));
}

Max max(const Tensor& x, int axis, bool keep) {
  axis = x.shape().axis(axis, "max");
  if (x.dim(axis) == 0) fail("max", "axis {} of shape {} is empty", axis, x.shape().str());
  const Shape shape = reduced_shape(x.shape(), axis, keep);
  Max y = {Tensor::empty(shape, x.dtype()), Tensor::empty(shape, DType::kI32)};
  for_float(x.dtype(), "max", [&](auto t) {
    using T = decltype(t);
    kernels::max_axis(x.data<T>(), y.value.data<T>(), y.at.data<int32_t>(), x.shape().product(0, axis),
                      x.dim(axis), x.shape().product(axis + 1, x.rank()));
  });
  return y;
}

}  // namespace fovea::tensor
