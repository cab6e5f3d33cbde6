#include "fovea/autograd/channel_norm.h"

#include "fovea/tensor/channel_norm.h"

namespace fovea::autograd {
namespace {

Var record_channel_norm(const char* name, const tensor::ChannelNormed& n, const Var& x, const Var& gain,
                        const Var& bias, bool given, double eps) {
  return record(name, {x, gain, bias}, n.y,
                [size = n.size, mean = n.mean, variance = n.variance, in = x.value(), scale = gain.value(),
                 given, eps](const Tensor& dy, Grads& grads) {
                  grads.add_together<3>({0, 1, 2}, [&](const Grads::Slots<3>& to) {
                    for_float(dy.dtype(), "channel_norm", [&](auto t) {
                      using T = decltype(t);
                      auto slot = [](const Tensor* v) { return v ? v->data<T>() : nullptr; };
                      kernels::channel_norm_backward(
                          size, kernels::ChannelNormBackward<T>{.x = in.data<T>(),
                                                                .mean = mean.data<T>(),
                                                                .variance = variance.data<T>(),
                                                                .gain = scale.data<T>(),
                                                                .dy = dy.data<T>(),
                                                                .given = given,
                                                                .eps = eps,
                                                                .dx = slot(to[0].dx),
                                                                .dgain = slot(to[1].dx),
                                                                .dbias = slot(to[2].dx),
                                                                .beta = static_cast<T>(to[0].beta),
                                                                .beta_gain = static_cast<T>(to[1].beta),
                                                                .beta_bias = static_cast<T>(to[2].beta)});
                    });
                  });
                });
}

}  // namespace

BatchNormed batch_norm(const Var& x, const Var& gain, const Var& bias, double eps) {
  const tensor::ChannelNormed n = tensor::batch_norm(x.value(), gain.value(), bias.value(), eps);
  return {record_channel_norm("batch_norm", n, x, gain, bias, false, eps), n.mean, n.variance};
}

Var batch_norm(const Var& x, const Var& gain, const Var& bias, const Tensor& mean, const Tensor& variance,
               double eps) {
  const tensor::ChannelNormed n =
      tensor::batch_norm(x.value(), gain.value(), bias.value(), mean, variance, eps);
  return record_channel_norm("batch_norm", n, x, gain, bias, true, eps);
}

Var group_norm(const Var& x, const Var& gain, const Var& bias, int64_t groups, double eps) {
  const tensor::ChannelNormed n = tensor::group_norm(x.value(), gain.value(), bias.value(), groups, eps);
  return record_channel_norm("group_norm", n, x, gain, bias, false, eps);
}

}  // namespace fovea::autograd
