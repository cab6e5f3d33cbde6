// The stack of convolutions (models/conv_encoder.h), ready to run: each norm is part of the convolution before it. Immutable. A picture's
// numbers have the same bits whatever is beside it.
#pragma once

#include <string>
#include <vector>

#include "fovea/models/picture_options.h"
#include "fovea/run/runner.h"
#include "fovea/run/weights.h"

namespace fovea::run {

class ConvEncoder {
 public:
  ConvEncoder(Weights& weights, const std::string& prefix, int64_t channels,
              const models::ConvOptions& options);

  // f32 [pictures, size, size, channels] -> [pictures, grid, grid, out].
  Tensor operator()(const Tensor& pictures) const;
  Held held() const;

 private:
  // relu(conv(x) + bias), with w' = w g / sqrt(v + eps) and bias = b - m g / sqrt(v + eps) for each channel that comes out.
  struct Block {
    Tensor weight, bias;
  };
  int64_t depth_;
  std::vector<Block> blocks_;
};

}  // namespace fovea::run
