#include "fovea/tensor/resample.h"

#include "fovea/tensor/picture.h"

namespace fovea::tensor {

kernels::ResampleSize resample_size(const Tensor& x, int64_t out_height, int64_t out_width) {
  check_picture(x, "resample");
  check(out_height >= 1 && out_width >= 1 && x.dim(1) >= 1 && x.dim(2) >= 1, "resample",
        "a picture of {} x {} at {} x {}: expected sizes of 1 or more", x.dim(1), x.dim(2), out_height,
        out_width);
  return {x.dim(0), x.dim(1), x.dim(2), x.dim(3), out_height, out_width};
}

Tensor resample(const Tensor& x, int64_t out_height, int64_t out_width, Resampling kind) {
  const kernels::ResampleSize size = resample_size(x, out_height, out_width);
  Tensor y = Tensor::empty({size.B, out_height, out_width, size.channels}, x.dtype());
  for_float(x.dtype(), "resample", [&](auto t) {
    using T = decltype(t);
    kernels::resample(kind, size, x.data<T>(), y.data<T>());
  });
  return y;
}

}  // namespace fovea::tensor
