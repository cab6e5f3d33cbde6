#include "fovea/autograd/loss.h"

#include "fovea/kernels/cross_entropy.h"
#include "fovea/tensor/rows.h"

namespace fovea::autograd {

Var cross_entropy(const Var& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  tensor::CrossEntropy result = tensor::cross_entropy(logits.value(), targets, options);
  return record("cross_entropy", {logits}, result.loss,
                [x = logits.value(), targets, lse = result.lse, scale = result.scale, options](
                    const Tensor& dy, Grads& grads) {
                  grads.add(0, [&](Tensor& dx, float beta) {
                    const tensor::Rows rows = tensor::rows_of(x, "cross_entropy");
                    const kernels::CrossEntropyShape shape{rows.count, rows.cols, options.label_smoothing,
                                                           options.ignore_index};
                    for_float(x.dtype(), "cross_entropy", [&](auto t) {
                      using T = decltype(t);
                      kernels::cross_entropy_rows_backward(x.data<T>(), targets.data<int32_t>(),
                                                           lse.data<T>(), dx.data<T>(),
                                                           static_cast<T>(scale * dy.item()), T{beta}, shape);
                    });
                  });
                });
}

}  // namespace fovea::autograd
