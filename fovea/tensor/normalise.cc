#include "fovea/tensor/normalise.h"

#include "fovea/kernels/softmax.h"
#include "fovea/tensor/rows.h"

namespace fovea::tensor {

Tensor softmax(const Tensor& x) {
  const Rows rows = rows_of(x, "softmax");
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  for_float(x.dtype(), "softmax", [&](auto t) {
    using T = decltype(t);
    kernels::softmax_rows(x.data<T>(), y.data<T>(), rows.count, rows.cols);
  });
  return y;
}

Tensor log_softmax(const Tensor& x) {
  const Rows rows = rows_of(x, "log_softmax");
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  for_float(x.dtype(), "log_softmax", [&](auto t) {
    using T = decltype(t);
    kernels::log_softmax_rows(x.data<T>(), y.data<T>(), rows.count, rows.cols);
  });
  return y;
}

}  // namespace fovea::tensor
