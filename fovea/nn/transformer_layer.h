// One layer of a Transformer (Vaswani et al. 2017): sublayers, each around a residual connection, with a norm
//   before it   y = x + sublayer(norm(x))        ("pre", Xiong et al. 2020)
//   after it    y = norm(x + sublayer(x))        ("post", the original)
// The sublayers are self-attention, cross-attention where the layer has it, and a feed-forward network.
#pragma once

#include <optional>
#include <string>

#include "fovea/nn/attention.h"
#include "fovea/nn/feed_forward.h"
#include "fovea/nn/norm.h"

namespace fovea::nn {

struct TransformerLayerOptions {
  AttentionOptions self;                  // its width is the layer's
  std::optional<AttentionOptions> cross;  // cross-attention
  FeedForwardOptions feed_forward;
  bool norm_first = true;
  NormOptions norm;
};

struct TransformerCall {
  Mask mask = {}, cross_mask = {};    // beside those of the options
  const KeysValues* cross = nullptr;  // of the cross-attention
  bool training = false;
  uint64_t step = 0;
  Noise noise = {}, hidden_noise = {};  // of what each sublayer adds to the residual; of the hidden units
  bool want_scores = false;             // of the cross-attention, on the plain path
};

class TransformerLayer {
 public:
  TransformerLayer(const TransformerLayerOptions& options, Random& random);

  struct Result {
    Var out;           // [B, T, width]
    Var cross_scores;  // of the cross-attention, [B, H, T, S]
  };
  // x [B, T, width].
  Result operator()(const Var& x, const TransformerCall& call);

  Attention& self() { return *self_; }
  Attention& cross() { return *cross_; }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  bool norm_first_;
  std::optional<Attention> self_, cross_;
  FeedForward feed_forward_;
  Norm self_norm_;
  std::optional<Norm> cross_norm_;
  Norm feed_forward_norm_;
};

}  // namespace fovea::nn
