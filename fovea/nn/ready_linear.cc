#include "fovea/nn/ready_linear.h"

#include "fovea/kernels/packed.h"

namespace fovea::nn {

ReadyLinear::ReadyLinear(const Tensor& weight, const Tensor& bias) : in_(weight.dim(1)), out_(weight.dim(0)), bias_(bias) {
  packed_ = Tensor::empty({kernels::packed_size(in_, out_)});
  kernels::pack(true, in_, out_, weight.data<float>(), in_, packed_.data<float>());
}

Tensor ReadyLinear::operator()(const Tensor& x) const {
  const Tensor y = Tensor::empty({x.dim(0), out_});
  run(x, y, 0);
  return y;
}

void ReadyLinear::add_to(const Tensor& y, const Tensor& x) const { run(x, y, 1); }

void ReadyLinear::run(const Tensor& x, const Tensor& y, float beta) const {
  if (x.dim(1) != in_) fail("linear", "rows of {} numbers: expected {}", x.dim(1), in_);
  kernels::gemm_packed(false, x.dim(0), out_, in_, x.data<float>(), in_, packed_.data<float>(),
                       bias_.defined() ? bias_.data<float>() : nullptr, beta, y.data<float>(), out_);
}

}  // namespace fovea::nn
