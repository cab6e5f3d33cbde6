#include "fovea/autograd/convolution.h"

#include "fovea/autograd/shape_ops.h"
#include "fovea/tensor/picture.h"

namespace fovea::autograd {
// dx and dw are convolutions again: of dy with the reversed kernel, and of x with dy (fovea/kernels/convolution.h).
Var convolution(const Var& x, const Var& w, const Var& bias, const ConvolutionOptions& options) {
  const Tensor &in = x.value(), &weight = w.value();
  const kernels::ConvolutionSize size = tensor::convolution_size(in, weight, bias.value(), options);
  return record(
      "convolution", {x, w, bias}, tensor::convolution(in, weight, bias.value(), options),
      [in, weight, size](const Tensor& dy, Grads& grads) {
        for_float(dy.dtype(), "convolution", [&](auto t) {
          using T = decltype(t);
          grads.add(0, [&](Tensor& dx, float beta) {
            kernels::convolution_backward_input(size, weight.data<T>(), dy.data<T>(), static_cast<T>(beta),
                                                dx.data<T>());
          });
          if (!grads.wants(1) && !grads.wants(2)) return;
          grads.add_together<2>({1, 2}, [&](const Grads::Slots<2>& to) {
            kernels::convolution_backward_weights(
                size, in.data<T>(), dy.data<T>(),
                kernels::ConvolutionWeightGrads<T>{.dw = to[0].dx ? to[0].dx->template data<T>() : nullptr,
                                                   .db = to[1].dx ? to[1].dx->template data<T>() : nullptr,
                                                   .beta_w = static_cast<T>(to[0].beta),
                                                   .beta_b = static_cast<T>(to[1].beta)});
          });
        });
      });
}

// [B rows, size, cols, size C] -> [B rows, cols, size, size C]
Var patches(const Var& x, int64_t size) {
  tensor::check_picture(x.value(), "patches");
  const int64_t B = x.dim(0), height = x.dim(1), width = x.dim(2), C = x.dim(3);
  check(size >= 1 && height % size == 0 && width % size == 0, "patches",
        "pictures of {} x {} are not cut evenly into patches of {} x {}", height, width, size, size);
  const int64_t rows = height / size, cols = width / size;
  const Var cut = transpose(reshape(x, {B * rows, size, cols, size * C}), 1, 2);
  return reshape(cut, {B, rows * cols, size * size * C});
}

}  // namespace fovea::autograd
