#include "fovea/tensor/activations.h"

namespace fovea::tensor {

Tensor activate(kernels::Activation f, const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  for_float(x.dtype(), "activate", [&](auto t) {
    using T = decltype(t);
    kernels::activate(f, x.data<T>(), y.data<T>(), x.size());
  });
  return y;
}

}  // namespace fovea::tensor
