#include "fovea/autograd/positions.h"

#include "fovea/kernels/rope.h"
#include "fovea/tensor/rope_shape.h"

namespace fovea::autograd {

Var rope(const Var& x, const tensor::RotaryTable& table, int64_t turned) {
  return record("rope", {x}, tensor::rope(x.value(), table, turned),
                [table, turned](const Tensor& dy, Grads& grads) {
                  grads.add(0, [&](Tensor& dx, float beta) {
                    kernels::RopeShape shape = tensor::rope_shape(dy, table, turned);
                    shape.inverse = true;
                    for_float(dy.dtype(), "rope", [&](auto t) {
                      using T = decltype(t);
                      kernels::rope(dy.data<T>(), table.cos.data<T>(), table.sin.data<T>(), dx.data<T>(),
                                    shape, T{beta});
                    });
                  });
                });
}

Var rope(const Var& x, int64_t first_position, double base) {
  if (!x.defined() || x.rank() != 4)
    fail("rope", "the input has shape {}: expected [B, L, H, D]", x.shape().str());
  return rope(x, tensor::rotary_table(x.dim(1), x.dim(3), first_position, base, x.dtype()));
}

}  // namespace fovea::autograd
