#include "fovea/tensor/channel_norm.h"

#include "fovea/tensor/picture.h"

namespace fovea::tensor {
namespace {

void check_channels(const Tensor& v, const Tensor& x, const char* what, const char* who) {
  check(v.defined(), who, "the {} is undefined", what);
  if (v.rank() != 1 || v.dim(0) != x.dim(3) || v.dtype() != x.dtype())
    fail(who, "the {} is {} {}: expected {} [{}], the channels of the pictures", what, name_of(v.dtype()),
         v.shape().str(), name_of(x.dtype()), x.dim(3));
}

void check_inputs(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps, const char* who) {
  check_picture(x, who);
  if (x.size() == 0)
    fail(who, "pictures of shape {} have no mean: expected at least one number", x.shape().str());
  check_channels(gain, x, "gain", who);
  check_channels(bias, x, "bias", who);
  check(eps >= 0, who, "eps is {}: expected 0 or more", eps);
}

// n.mean and n.variance are there, or made first.
ChannelNormed norm_channels(ChannelNormed n, const Tensor& x, const Tensor& gain, const Tensor& bias,
                            double eps, const char* who) {
  const bool given = n.mean.defined();
  n.y = Tensor::empty(x.shape(), x.dtype());
  if (!given) {
    const Shape shape = n.size.segments == 1 && n.size.groups == n.size.channels
                            ? Shape{n.size.channels}
                            : Shape{n.size.segments, n.size.groups};
    n.mean = Tensor::empty(shape, x.dtype());
    n.variance = Tensor::empty(shape, x.dtype());
  }
  for_float(x.dtype(), who, [&](auto t) {
    using T = decltype(t);
    if (!given) kernels::channel_statistics(n.size, x.data<T>(), n.mean.data<T>(), n.variance.data<T>());
    kernels::channel_norm<T>(n.size, x.data<T>(), n.mean.data<T>(), n.variance.data<T>(), gain.data<T>(),
                             bias.data<T>(), eps, n.y.data<T>());
  });
  return n;
}

kernels::ChannelNormSize whole_batch(const Tensor& x) {
  return {.segments = 1, .pixels = x.size() / x.dim(3), .channels = x.dim(3), .groups = x.dim(3)};
}

}  // namespace

ChannelNormed batch_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double eps) {
  check_inputs(x, gain, bias, eps, "batch_norm");
  return norm_channels({.size = whole_batch(x), .y = {}, .mean = {}, .variance = {}}, x, gain, bias, eps,
                       "batch_norm");
}

ChannelNormed batch_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& mean,
                         const Tensor& variance, double eps) {
  check_inputs(x, gain, bias, eps, "batch_norm");
  check_channels(mean, x, "mean", "batch_norm");
  check_channels(variance, x, "variance", "batch_norm");
  return norm_channels({.size = whole_batch(x), .y = {}, .mean = mean, .variance = variance}, x, gain, bias,
                       eps, "batch_norm");
}

ChannelNormed group_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, int64_t groups,
                         double eps) {
  check_inputs(x, gain, bias, eps, "group_norm");
  check(groups >= 1 && x.dim(3) % groups == 0, "group_norm", "{} groups do not divide {} channels evenly",
        groups, x.dim(3));
  const kernels::ChannelNormSize size{
      .segments = x.dim(0), .pixels = x.dim(1) * x.dim(2), .channels = x.dim(3), .groups = groups};
  return norm_channels({.size = size, .y = {}, .mean = {}, .variance = {}}, x, gain, bias, eps, "group_norm");
}

}  // namespace fovea::tensor
