#include "fovea/run/norm.h"

#include <algorithm>

#include "fovea/base/scratch.h"
#include "fovea/kernels/norm.h"

namespace fovea::run {

Norm::Norm(Weights& weights, const std::string& name, int64_t width, const nn::NormOptions& options)
    : options_(options), gain_(weights.tensor(name + ".weight", {width})) {
  if (options.kind == "layer" && weights.contains(name + ".bias"))
    bias_ = weights.tensor(name + ".bias", {width});
}

void Norm::operator()(const Tensor& x, const Tensor& y) const {
  if (!defined()) {
    if (x.data<float>() != y.data<float>()) std::copy_n(x.data<float>(), x.size(), y.data<float>());
    return;
  }
  Scratch scratch;
  kernels::NormRows<float> norm;
  norm.x = x.data<float>();
  norm.y = y.data<float>();
  norm.rows = x.dim(0);
  norm.cols = x.dim(1);
  norm.gain = gain_.data<float>();
  if (bias_.defined()) norm.bias = bias_.data<float>();
  if (options_.kind == "layer") norm.mean = scratch.take<float>(norm.rows);
  norm.rstd = scratch.take<float>(norm.rows);
  norm.eps = options_.eps;
  kernels::norm_rows(norm);
}

}  // namespace fovea::run
