#include "fovea/tensor/pooling.h"

#include <limits>

#include "fovea/tensor/picture.h"

namespace fovea::tensor {
namespace {

Shape pooled_shape(const kernels::PoolingSize& size) {
  return {size.B, size.y.out(), size.x.out(), size.channels};
}

}  // namespace

kernels::PoolingSize pooling_size(const Tensor& x, const PoolingOptions& o, const char* who) {
  check_picture(x, who);
  const int64_t stride = o.stride == 0 ? o.kernel : o.stride;
  check(o.kernel >= 1 && stride >= 1 && o.padding >= 0, who,
        "kernel {}, stride {}, padding {}: expected 1 or more, and 0 or more for the padding", o.kernel,
        stride, o.padding);
  check(2 * o.padding <= o.kernel, who, "a padding of {}: expected at most half of the kernel's {}",
        o.padding, o.kernel);
  const kernels::WindowAxis y{x.dim(1), o.kernel, stride, o.padding},
      across{x.dim(2), o.kernel, stride, o.padding};
  check(y.out() >= 1 && across.out() >= 1, who,
        "a kernel of {} with a padding of {} does not fit into a picture of {} x {}", o.kernel, o.padding,
        x.dim(1), x.dim(2));
  check(x.dim(1) * x.dim(2) <= std::numeric_limits<int32_t>::max(), who, "a picture of {} x {} is too large",
        x.dim(1), x.dim(2));
  return {.B = x.dim(0), .channels = x.dim(3), .y = y, .x = across};
}

kernels::PoolingSize global_pooling_size(const Tensor& x) {
  check_picture(x, "global_average_pool");
  check(x.dim(1) >= 1 && x.dim(2) >= 1, "global_average_pool", "a picture of {} x {} has no mean", x.dim(1),
        x.dim(2));
  return {.B = x.dim(0), .channels = x.dim(3), .y = {x.dim(1), x.dim(1)}, .x = {x.dim(2), x.dim(2)}};
}

MaxPooled max_pool(const Tensor& x, const PoolingOptions& options) {
  const kernels::PoolingSize size = pooling_size(x, options, "max_pool");
  MaxPooled pooled{Tensor::empty(pooled_shape(size), x.dtype()),
                   Tensor::empty(pooled_shape(size), DType::kI32)};
  for_float(x.dtype(), "max_pool", [&](auto t) {
    using T = decltype(t);
    kernels::max_pool(size, x.data<T>(), pooled.y.data<T>(), pooled.at.data<int32_t>());
  });
  return pooled;
}

Tensor average_pool(const Tensor& x, const PoolingOptions& options) {
  const kernels::PoolingSize size = pooling_size(x, options, "average_pool");
  Tensor y = Tensor::empty(pooled_shape(size), x.dtype());
  for_float(x.dtype(), "average_pool", [&](auto t) {
    using T = decltype(t);
    kernels::average_pool(size, x.data<T>(), y.data<T>());
  });
  return y;
}

Tensor global_average_pool(const Tensor& x) {
  const kernels::PoolingSize size = global_pooling_size(x);
  Tensor y = Tensor::empty({size.B, size.channels}, x.dtype());
  for_float(x.dtype(), "global_average_pool", [&](auto t) {
    using T = decltype(t);
    kernels::average_pool(size, x.data<T>(), y.data<T>());
  });
  return y;
}

}  // namespace fovea::tensor
