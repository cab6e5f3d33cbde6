#include "fovea/models/conv_encoder.h"

#include <fmt/format.h>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/pooling.h"

namespace fovea::models {

std::string conv_block_name(const std::string& prefix, int64_t stage, int64_t block) {
  return fmt::format("{}{}.{}.", prefix, stage, block);
}

ConvEncoder::ConvEncoder(int64_t channels, const ConvOptions& options, Random& random) : options_(options) {
  int64_t in = channels;
  for (int64_t stage = 0; stage < options.conv_stages; ++stage)
    for (int64_t d = 0; d < options.conv_depth; ++d) {
      const int64_t out = options.width(stage);
      blocks_.push_back(std::make_unique<Block>(
          Block{nn::Convolution({.in = in, .out = out, .kernel = 3, .padding = 1, .bias = false}, random),
                nn::BatchNorm(out)}));
      in = out;
    }
}

Var ConvEncoder::operator()(const Var& pictures, bool training) {
  Var x = pictures;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const auto depth = static_cast<size_t>(options_.conv_depth);
    if (i > 0 && i % depth == 0) x = autograd::max_pool(x);
    x = autograd::relu(blocks_[i]->norm(blocks_[i]->conv(x), training));
  }
  return x;
}

template <typename F>
void ConvEncoder::for_each_block(const std::string& prefix, F&& f) {
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    f(conv_block_name(prefix, at / options_.conv_depth, at % options_.conv_depth), *blocks_[i]);
  }
}

void ConvEncoder::collect(const std::string& prefix, nn::ParameterList& list) {
  for_each_block(prefix, [&](const std::string& name, Block& block) {
    block.conv.collect(name + "conv.", list);
    block.norm.collect(name + "norm.", list);
  });
}

void ConvEncoder::collect_buffers(const std::string& prefix, std::vector<NamedTensor>& list) {
  nn::StateList states;
  for_each_block(prefix, [&](const std::string& name, Block& block) {
    block.norm.collect_state(name + "norm.", states);
  });
  for (auto& [name, tensor] : states) list.push_back({name, tensor});
}

}  // namespace fovea::models
