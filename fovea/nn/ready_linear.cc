#include "fovea/nn/ready_linear.h"

#include "fovea/kernels/packed.h"
#include "fovea/kernels/quantized.h"

namespace fovea::nn {

ReadyLinear::ReadyLinear(const Tensor& weight, const Tensor& bias, Precision precision)
    : in_(weight.dim(1)), out_(weight.dim(0)), precision_(precision), bias_(bias) {
  if (precision == Precision::kInt8) {
    packed_ = Tensor::empty({kernels::quantized_size(out_, in_)}, DType::kU8);
    kernels::pack_quantized(out_, in_, weight.data<float>(), in_,
                            reinterpret_cast<int8_t*>(packed_.data<uint8_t>()));
    return;
  }
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
  const float* bias = bias_.defined() ? bias_.data<float>() : nullptr;
  if (precision_ == Precision::kInt8)
    kernels::gemm_quantized(x.dim(0), out_, in_, x.data<float>(), in_,
                            reinterpret_cast<const int8_t*>(packed_.data<uint8_t>()), bias, beta,
                            y.data<float>(), out_);
  else
    kernels::gemm_packed(false, x.dim(0), out_, in_, x.data<float>(), in_, packed_.data<float>(), bias, beta,
                         y.data<float>(), out_);
}

}  // namespace fovea::nn
