#include "fovea/autograd/normalise.h"

#include "fovea/kernels/softmax.h"
#include "fovea/tensor/normalise.h"
#include "fovea/tensor/rows.h"

namespace fovea::autograd {

Var softmax(const Var& x) {
  Tensor y = tensor::softmax(x.value());
  return record("softmax", {x}, y, [y](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      const auto [rows, cols] = tensor::rows_of(y, "softmax");
      for_float(y.dtype(), "softmax", [&, rows = rows, cols = cols](auto t) {
        using T = decltype(t);
        kernels::softmax_rows_backward(y.data<T>(), dy.data<T>(), dx.data<T>(), rows, cols);
      });
    });
  });
}

Var log_softmax(const Var& x) {
  Tensor y = tensor::log_softmax(x.value());
  return record("log_softmax", {x}, y, [y](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      const auto [rows, cols] = tensor::rows_of(y, "log_softmax");
      for_float(y.dtype(), "log_softmax", [&, rows = rows, cols = cols](auto t) {
        using T = decltype(t);
        kernels::log_softmax_rows_backward(y.data<T>(), dy.data<T>(), dx.data<T>(), rows, cols);
      });
    });
  });
}

}  // namespace fovea::autograd
