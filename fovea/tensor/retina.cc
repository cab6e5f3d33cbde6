#include "fovea/tensor/retina.h"

#include "fovea/kernels/retina.h"
#include "fovea/tensor/picture.h"

namespace fovea::tensor {

Tensor retina(const Tensor& x, const Tensor& at, int64_t size, int64_t scales) {
  constexpr int64_t kMostScales = 16;
  check_picture(x, "retina");
  if (at.shape() != Shape{x.dim(0), 2} || at.dtype() != x.dtype())
    fail("retina", "points of shape {} for pictures of {}: expected [{}, 2], of the same type",
         at.shape().str(), x.shape().str(), x.dim(0));
  check(size >= 1 && scales >= 1 && scales <= kMostScales, "retina",
        "{} squares of {} cells a side: expected 1 to {}, of 1 or more", scales, size, kMostScales);
  const kernels::RetinaSize sizes{x.dim(0), x.dim(1), x.dim(2), x.dim(3), size, scales};
  Tensor y = Tensor::empty({x.dim(0), scales, size, size, x.dim(3)}, x.dtype());
  for_float(x.dtype(), "retina", [&](auto t) {
    using T = decltype(t);
    kernels::retina(sizes, x.data<T>(), at.data<T>(), y.data<T>());
  });
  return y;
}

}  // namespace fovea::tensor
