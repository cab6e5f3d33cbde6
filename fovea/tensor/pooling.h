// Pooling of pictures [B, height, width, C]. Formulas as in fovea/kernels/pooling.h.
#pragma once

#include "fovea/kernels/pooling.h"
#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// The same for height and width.
struct PoolingOptions {
  int64_t kernel = 2;
  int64_t stride = 0;   // 0: the kernel's size
  int64_t padding = 0;  // at most half of the kernel
};

// The sizes of pooling x; throws where they do not fit. `who` names the operation in errors.
kernels::PoolingSize pooling_size(const Tensor& x, const PoolingOptions& options, const char* who);

struct MaxPooled {
  Tensor y;   // [B, out height, out width, C]
  Tensor at;  // i32, the same shape: which pixel of its picture each number is
};
MaxPooled max_pool(const Tensor& x, const PoolingOptions& options);
Tensor average_pool(const Tensor& x, const PoolingOptions& options);
// The mean of every channel: [B, height, width, C] -> [B, C].
Tensor global_average_pool(const Tensor& x);
kernels::PoolingSize global_pooling_size(const Tensor& x);

}  // namespace fovea::tensor
