#include "fovea/autograd/dropout.h"

#include "fovea/kernels/dropout.h"

namespace fovea::autograd {

Var dropout(const Var& x, float rate, uint64_t seed, uint64_t step) {
  check(rate >= 0 && rate < 1, "dropout", "the rate is {}: expected 0 or more, and less than 1", rate);
  check(x.defined(), "dropout", "the input is undefined");
  if (rate == 0) return x;
  const kernels::DropoutMask mask{rate, seed, step};
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  for_float(x.dtype(), "dropout", [&](auto t) {
    using T = decltype(t);
    kernels::dropout(x.value().data<T>(), y.data<T>(), y.size(), mask, T{0});
  });
  return record("dropout", {x}, std::move(y), [mask](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx, float beta) {
      for_float(dy.dtype(), "dropout", [&](auto t) {
        using T = decltype(t);
        kernels::dropout(dy.data<T>(), dx.data<T>(), dx.size(), mask, T{beta});
      });
    });
  });
}

}  // namespace fovea::autograd
