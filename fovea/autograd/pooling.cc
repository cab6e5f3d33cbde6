#include "fovea/autograd/pooling.h"

namespace fovea::autograd {
namespace {

// The gradient of both averages: dx += dy / places of the window.
auto average_backward(const kernels::PoolingSize& size) {
  return [size](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      for_float(dy.dtype(), "average_pool", [&](auto t) {
        using T = decltype(t);
        kernels::average_pool_backward<T>(size, dy.data<T>(), dx.data<T>());
      });
    });
  };
}

}  // namespace

Var max_pool(const Var& x, const PoolingOptions& options) {
  const kernels::PoolingSize size = tensor::pooling_size(x.value(), options, "max_pool");
  tensor::MaxPooled pooled = tensor::max_pool(x.value(), options);
  return record("max_pool", {x}, pooled.y, [size, at = pooled.at](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      for_float(dy.dtype(), "max_pool", [&](auto t) {
        using T = decltype(t);
        kernels::max_pool_backward<T>(size, at.data<int32_t>(), dy.data<T>(), dx.data<T>());
      });
    });
  });
}

Var average_pool(const Var& x, const PoolingOptions& options) {
  return record("average_pool", {x}, tensor::average_pool(x.value(), options),
                average_backward(tensor::pooling_size(x.value(), options, "average_pool")));
}

Var global_average_pool(const Var& x) {
  return record("global_average_pool", {x}, tensor::global_average_pool(x.value()),
                average_backward(tensor::global_pooling_size(x.value())));
}

// y is linear in x: dx += what y took of each pixel, times dy.
Var resample(const Var& x, int64_t out_height, int64_t out_width, Resampling kind) {
  const kernels::ResampleSize size = tensor::resample_size(x.value(), out_height, out_width);
  return record("resample", {x}, tensor::resample(x.value(), out_height, out_width, kind),
                [size, kind](const Tensor& dy, Grads& grads) {
                  grads.add(0, [&](Tensor& dx) {
                    for_float(dy.dtype(), "resample", [&](auto t) {
                      using T = decltype(t);
                      kernels::resample_backward<T>(kind, size, dy.data<T>(), dx.data<T>());
                    });
                  });
                });
}

}  // namespace fovea::autograd
