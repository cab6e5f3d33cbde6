// One layer of a Transformer (Vaswani et al. 2017): parts that look or think, each around a residual connection, with a norm
//   before it   y = x + part(norm(x))        ("pre", Xiong et al. 2020)
//   after it    y = norm(x + part(x))        ("post", the original)
// The parts are self-attention, attention to a memory where the layer has one, and a feed-forward network.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fovea/nn/attention.h"
#include "fovea/nn/feed_forward.h"
#include "fovea/nn/norm.h"

namespace fovea::nn {

struct TransformerLayerOptions {
  AttentionOptions self;                   // its width is the layer's
  std::optional<AttentionOptions> memory;  // attention to another sequence
  FeedForwardOptions think;
  bool norm_first = true;
  NormOptions norm;
};

struct TransformerCall {
  Mask mask = {}, memory_mask = {};  // beside those of the options
  const AttentionMemory* memory = nullptr;
  bool training = false;
  uint64_t step = 0;
  Noise noise = {}, hidden_noise = {};  // of what each part adds to the residual; of the hidden units
  // Weights to keep, and whether the memory's scores are wanted (on the plain path).
  std::optional<Look> look = {}, look_at_memory = {};
  bool want_scores = false;
};

// One position of each of some rows, after those that are past.
struct TransformerStep {
  // Given the newest keys and values, [rows, 1, heads, width], returns those of all positions.
  std::function<AttentionMemory(const AttentionMemory& newest)> extend;
  int64_t position = 0;
  const AttentionMemory* memory = nullptr;  // of B sentences, whose rows follow each other
  Mask memory_mask = {};
  std::optional<Look> look = {}, look_at_memory = {};
};

class TransformerLayer {
 public:
  TransformerLayer(const TransformerLayerOptions& options, Random& random);

  struct Result {
    Var out;                 // [B, T, width]
    Seen seen, memory_seen;  // what was asked for
    Var memory_scores;       // [B, H, T, S]
  };
  // x [B, T, width].
  Result operator()(const Var& x, const TransformerCall& call);

  // x [rows, width]; weights of the memory are [B, H, rows / B, S]. Nothing is recorded.
  Result step(const Var& x, const TransformerStep& step);

  Attention& self() { return *self_; }
  Attention& memory() { return *memory_; }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  bool norm_first_;
  std::optional<Attention> self_, memory_;
  FeedForward think_;
  Norm self_norm_;
  std::optional<Norm> memory_norm_;
  Norm think_norm_;
};

}  // namespace fovea::nn
