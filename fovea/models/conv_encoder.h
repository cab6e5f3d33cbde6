// A stack of convolutions that makes a grid of features of a picture.
//
//   block    x = relu(norm(conv 3 x 3 of x))             the norm is batch norm
//   stage    `depth` blocks; between stages, the largest of every 2 x 2 places
#pragma once

#include <memory>
#include <vector>

#include "fovea/models/net.h"
#include "fovea/models/picture_options.h"
#include "fovea/nn/channel_norm.h"
#include "fovea/nn/convolution.h"

namespace fovea::models {

class ConvEncoder {
 public:
  ConvEncoder(int64_t channels, const ConvOptions& options, Random& random);

  // [B, size, size, channels] -> [B, grid, grid, out].
  Var operator()(const Var& pictures, bool training);
  void collect(const std::string& prefix, nn::ParameterList& list);
  // The running statistics of its norms.
  void collect_buffers(const std::string& prefix, std::vector<NamedTensor>& list);

 private:
  struct Block {
    nn::Convolution conv;
    nn::BatchNorm norm;
  };
  template <typename F>
  void for_each_block(const std::string& prefix, F&& f);

  ConvOptions options_;
  std::vector<std::unique_ptr<Block>> blocks_;  // stage by stage
};

// The name of a block, from 0: "encoder.1.0." is the first of the second stage.
std::string conv_block_name(const std::string& prefix, int64_t stage, int64_t block);

}  // namespace fovea::models
