#include "fovea/autograd/embedding.h"

#include "fovea/kernels/embedding.h"
#include "fovea/tensor/embedding.h"

namespace fovea::autograd {

Var embedding(const Var& table, const Tensor& ids) {
  return record("embedding", {table}, tensor::embedding(table.value(), ids),
                [ids](const Tensor& dy, Grads& grads) {
                  grads.add(0, [&](Tensor& dtable) {
                    for_float(dy.dtype(), "embedding", [&](auto t) {
                      using T = decltype(t);
                      kernels::scatter_add_rows(dy.data<T>(), ids.data<int32_t>(), dtable.data<T>(),
                                                ids.size(), dy.dim(-1));
                    });
                  });
                });
}

}  // namespace fovea::autograd
