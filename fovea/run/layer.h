// A layer of a Transformer that runs: self-attention, cross-attention where it has one, and a feed-forward network, each around a
// residual connection with a norm before or after it (nn/transformer_layer.h). Immutable.
#pragma once

#include <string>

#include "fovea/nn/transformer_layer.h"
#include "fovea/run/attention.h"
#include "fovea/run/norm.h"

namespace fovea::run {

class FeedForward {
 public:
  FeedForward() = default;
  // PREFIXin, PREFIXgate where it is gated, PREFIXout.
  FeedForward(Weights& weights, const std::string& prefix, const nn::FeedForwardOptions& options,
              Precision precision);
  // x += what it makes of h.
  void add_to(const Tensor& x, const Tensor& h) const;
  Held held() const;

 private:
  kernels::Activation activation_ = kernels::Activation::kTanh;
  Linear in_, gate_, out_;
};

// Where the keys and values of a stack of layers are kept, and of how many tokens.
struct Stored {
  const Cache* cache = nullptr;  // null: nowhere; sequences are whole
  std::span<const KeysOf> keys;  // by sequence
};

class Layer {
 public:
  Layer(Weights& weights, const std::string& prefix, const nn::TransformerLayerOptions& options,
        Precision precision);

  const Attention& self() const { return self_; }
  const Attention& cross() const { return cross_; }
  Held held() const;

  // x [rows, width] becomes what layer `number` makes of it. With a cache, `self.keys` count all tokens, those of the rows among them as
  // the last ones, and their keys and values are written there. `cross` is for layers that have cross-attention.
  void operator()(const Tensor& x, int64_t number, const Ragged& ragged, const Stored& self,
                  const Stored& cross, const Watch& watch_self, const Watch& watch_cross) const;

 private:
  // What a part reads: its norm of x where norms come first.
  Tensor before(const Norm& norm, const Tensor& x) const;
  void after(const Norm& norm, const Tensor& x) const;

  bool norm_first_;
  Norm self_norm_, cross_norm_, feed_forward_norm_;
  Attention self_, cross_;
  bool has_cross_ = false;
  FeedForward feed_forward_;
};

}  // namespace fovea::run
