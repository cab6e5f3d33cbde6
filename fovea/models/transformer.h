// The Transformer that turns one sequence into another (Vaswani et al. 2017).
//
//   x        words * sqrt(E) + positions                         (rotary: the heads turn instead)
//   encoder  layers of self-attention over the source
//   decoder  layers of self-attention over what was written, and attention to the encoder's last states
//   logits   W h + b; with norms before the parts ("pre"), one more norm stands at the end of either stack
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/models/net.h"
#include "fovea/models/transformer_options.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/transformer_layer.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::models {

// What every layer of the encoder, or of the decoder, is.
nn::TransformerLayerOptions layer_options(const TransformerOptions& options, bool decoder);

class Transformer final : public Net {
 public:
  Transformer(const TransformerOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<Stored> stored() override;
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

  const TransformerOptions& options() const { return options_; }

 private:
  using Layers = std::vector<std::unique_ptr<nn::TransformerLayer>>;

  // A source, read.
  struct Encoded {
    PoolVector<nn::KeysValues> cross;  // of each layer of the decoder
    Tensor lengths;                    // i32 [B]
  };
  struct Request {
    nn::Noise noise, hidden_noise, source_words, target_words;  // the latter fall on whole words
    bool training = false, want_scores = false;
  };
  // What a whole target was taught as.
  struct Taught {
    Var outputs;  // [B, T, E]
    Var scores;   // [B, H, T, S] of the last layer's attention to the source, where asked for
  };

  // Tokens [B, T] as embeddings with their positions.
  Var read_source(const Tensor& ids, const Request& request);
  Var read_target(const Tensor& ids, const Request& request);
  Var place(Var words, nn::Parameter& learned);
  Encoded encode(const data::SourceBatch& source, const Request& request);
  Taught teach(const data::Batch& batch, const Encoded& encoded, const Request& request);
  nn::TransformerCall call(const Request& request, uint64_t layer) const;
  Var output_weight() { return output_ ? output_->weight() : target_embedding_->table(); }
  Var output_bias() { return output_ ? output_->bias() : autograd::watch(output_bias_); }

  TransformerOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::Embedding> source_embedding_, target_embedding_;
  nn::Parameter source_positions_, target_positions_;  // learned ones
  Layers encoder_, decoder_;
  std::optional<nn::Norm> encoder_norm_, decoder_norm_;
  std::optional<nn::Linear> output_;
  nn::Parameter output_bias_;  // of tied embeddings
};

}  // namespace fovea::models
