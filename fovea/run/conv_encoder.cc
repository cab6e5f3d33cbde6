#include "fovea/run/conv_encoder.h"

#include <cmath>

#include "fovea/kernels/activations.h"
#include "fovea/models/conv_encoder.h"
#include "fovea/tensor/convolution.h"
#include "fovea/tensor/pooling.h"

namespace fovea::run {

ConvEncoder::ConvEncoder(Weights& weights, const std::string& prefix, int64_t channels,
                         const models::ConvOptions& o)
    : depth_(o.conv_depth) {
  constexpr double kEps = 1e-5;  // nn::BatchNorm's
  constexpr int64_t kKernel = 3;
  int64_t in = channels;
  for (int64_t stage = 0; stage < o.conv_stages; ++stage)
    for (int64_t d = 0; d < o.conv_depth; ++d) {
      const int64_t out = o.width(stage), each = kKernel * kKernel * in;
      const std::string name = models::conv_block_name(prefix, stage, d);
      Block block{weights.tensor(name + "conv.weight", {out, kKernel, kKernel, in}),
                  weights.tensor(name + "norm.bias", {out})};
      const Tensor gain = weights.tensor(name + "norm.weight", {out}),
                   mean = weights.tensor(name + "norm.running_mean", {out}),
                   variance = weights.tensor(name + "norm.running_var", {out});
      for (int64_t c = 0; c < out; ++c) {
        const double factor = static_cast<double>(gain.data<float>()[c]) /
                              std::sqrt(static_cast<double>(variance.data<float>()[c]) + kEps);
        float* w = block.weight.data<float>() + c * each;
        for (int64_t i = 0; i < each; ++i) w[i] = static_cast<float>(factor * static_cast<double>(w[i]));
        float& bias = block.bias.data<float>()[c];
        bias = static_cast<float>(static_cast<double>(bias) -
                                  factor * static_cast<double>(mean.data<float>()[c]));
      }
      blocks_.push_back(std::move(block));
      in = out;
    }
}

Tensor ConvEncoder::operator()(const Tensor& pictures) const {
  Tensor x = pictures;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (i > 0 && static_cast<int64_t>(i) % depth_ == 0) x = tensor::max_pool(x, {}).y;
    x = tensor::convolution(x, blocks_[i].weight, blocks_[i].bias, {.padding = 1});
    kernels::activate(kernels::Activation::kRelu, x.data<float>(), x.data<float>(), x.size());
  }
  return x;
}

Held ConvEncoder::held() const {
  Held held;
  for (const Block& block : blocks_)
    held.f32_bytes += static_cast<int64_t>(block.weight.bytes() + block.bias.bytes());
  return held;
}

}  // namespace fovea::run
