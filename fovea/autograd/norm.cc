#include "fovea/autograd/norm.h"

#include "fovea/kernels/norm.h"
#include "fovea/tensor/norm.h"
#include "fovea/tensor/rows.h"

namespace fovea::autograd {
namespace {

// `to`: the gradients of x, gain and bias.
void backward(const tensor::Normed& n, const Tensor& gain, const Tensor& dy, const Grads::Slots<3>& to) {
  const tensor::Rows rows = tensor::rows_of(dy, "norm");
  Tensor scratch;
  if (to[1].dx || to[2].dx)
    scratch = Tensor::empty({kernels::norm_scratch(rows.count, rows.cols)}, dy.dtype());
  for_float(dy.dtype(), "norm", [&](auto t) {
    using T = decltype(t);
    auto pointer = [](const Tensor& v) { return v.defined() ? v.data<T>() : nullptr; };
    auto slot = [](const Tensor* v) { return v ? v->data<T>() : nullptr; };
    kernels::norm_rows_backward(kernels::NormRowsBackward<T>{.s = n.sum.data<T>(),
                                                             .gain = gain.data<T>(),
                                                             .mean = pointer(n.mean),
                                                             .rstd = n.rstd.data<T>(),
                                                             .dy = dy.data<T>(),
                                                             .dx = slot(to[0].dx),
                                                             .dgain = slot(to[1].dx),
                                                             .dbias = slot(to[2].dx),
                                                             .scratch = pointer(scratch),
                                                             .rows = rows.count,
                                                             .cols = rows.cols,
                                                             .beta = to[0].beta,
                                                             .beta_gain = to[1].beta,
                                                             .beta_bias = to[2].beta});
  });
}

Var record_norm(const char* name, tensor::Normed n, const Var& sum, const Var& gain, const Var& bias) {
  Tensor y = std::move(n.y);
  return record(
      name, {sum, gain, bias}, std::move(y),
      [n = std::move(n), gain = gain.value()](const Tensor& dy, Grads& grads) {
        grads.add_together<3>({0, 1, 2}, [&](const Grads::Slots<3>& to) { backward(n, gain, dy, to); });
      });
}

Var norm(tensor::NormKind kind, const char* name, const Var& x, const Var& gain, const Var& bias,
         double eps) {
  return record_norm(name, tensor::normed(kind, x.value(), {}, gain.value(), bias.value(), eps, name), x,
                     gain, bias);
}

ResidualNorm residual_norm(tensor::NormKind kind, const char* name, const Var& x, const Var& residual,
                           const Var& gain, const Var& bias, double eps) {
  check(residual.defined(), name, "the residual is undefined");
  tensor::Normed n = tensor::normed(kind, x.value(), residual.value(), gain.value(), bias.value(), eps, name);
  Var sum = record(name, {x, residual}, n.sum, [](const Tensor& dy, Grads& grads) {
    grads.pass(0, dy);
    grads.pass(1, dy);
  });
  Var normed = record_norm(name, std::move(n), sum, gain, bias);
  return {std::move(sum), std::move(normed)};
}

}  // namespace

Var layer_norm(const Var& x, const Var& gain, const Var& bias, double eps) {
  return norm(tensor::NormKind::kLayer, "layer_norm", x, gain, bias, eps);
}

Var rms_norm(const Var& x, const Var& gain, double eps) {
  return norm(tensor::NormKind::kRms, "rms_norm", x, gain, Var(), eps);
}

ResidualNorm residual_layer_norm(const Var& x, const Var& residual, const Var& gain, const Var& bias,
                                 double eps) {
  return residual_norm(tensor::NormKind::kLayer, "residual_layer_norm", x, residual, gain, bias, eps);
}

ResidualNorm residual_rms_norm(const Var& x, const Var& residual, const Var& gain, double eps) {
  return residual_norm(tensor::NormKind::kRms, "residual_rms_norm", x, residual, gain, Var(), eps);
}

}  // namespace fovea::autograd
