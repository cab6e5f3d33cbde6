#include "fovea/tensor/norm.h"

#include "fovea/kernels/norm.h"
#include "fovea/tensor/rows.h"

namespace fovea::tensor {
namespace {

void check_vector(const Tensor& v, const Tensor& x, const char* what, const char* who) {
  check(v.defined(), who, "the {} is undefined", what);
  if (v.rank() != 1 || v.dim(0) != x.dim(-1))
    fail(who, "the {} has shape {}: expected [{}], the last axis of the input", what, v.shape().str(),
         x.dim(-1));
  check(v.dtype() == x.dtype(), who, "the {} is {} and the input {}", what, name_of(v.dtype()),
        name_of(x.dtype()));
}

}  // namespace

Normed normed(NormKind kind, const Tensor& x, const Tensor& residual, const Tensor& gain, const Tensor& bias,
              double eps, const char* who) {
  const Rows rows = rows_of(x, who);
  check_vector(gain, x, "gain", who);
  if (bias.defined()) check_vector(bias, x, "bias", who);
  if (residual.defined() && (residual.shape() != x.shape() || residual.dtype() != x.dtype()))
    fail(who, "the residual is {} {} and the input {} {}: expected the same", name_of(residual.dtype()),
         residual.shape().str(), name_of(x.dtype()), x.shape().str());
  check(eps >= 0, who, "eps is {}: expected 0 or more", eps);
  Normed n;
  n.sum = residual.defined() ? Tensor::empty(x.shape(), x.dtype()) : x;
  n.y = Tensor::empty(x.shape(), x.dtype());
  if (kind == NormKind::kLayer) n.mean = Tensor::empty({rows.count}, x.dtype());
  n.rstd = Tensor::empty({rows.count}, x.dtype());
  for_float(x.dtype(), who, [&](auto t) {
    using T = decltype(t);
    auto pointer = [](const Tensor& v) { return v.defined() ? v.data<T>() : nullptr; };
    kernels::norm_rows(kernels::NormRows<T>{.x = x.data<T>(),
                                            .residual = pointer(residual),
                                            .gain = gain.data<T>(),
                                            .bias = pointer(bias),
                                            .sum = residual.defined() ? n.sum.data<T>() : nullptr,
                                            .y = n.y.data<T>(),
                                            .mean = pointer(n.mean),
                                            .rstd = n.rstd.data<T>(),
                                            .rows = rows.count,
                                            .cols = rows.cols,
                                            .eps = eps});
  });
  return n;
}

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
  return normed(NormKind::kLayer, x, {}, gain, bias, eps, "layer_norm").y;
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double eps) {
  return normed(NormKind::kRms, x, {}, gain, {}, eps, "rms_norm").y;
}

}  // namespace fovea::tensor
