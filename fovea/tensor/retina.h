// What an eye sees that looks at a point of a picture. Formulas as in fovea/kernels/retina.h.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// x [B, height, width, C], at [B, 2] as (x, y) in pixels -> [B, scales, size, size, C].
Tensor retina(const Tensor& x, const Tensor& at, int64_t size, int64_t scales);

}  // namespace fovea::tensor
