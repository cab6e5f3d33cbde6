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

#include "fovea/models/seq2seq.h"
#include "fovea/models/transformer_options.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/ready_layer.h"
#include "fovea/nn/transformer_layer.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::models {

// What every layer of the encoder, or of the decoder, is.
nn::TransformerLayerOptions layer_options(const TransformerOptions& options, bool decoder);

class Transformer final : public Seq2Seq {
 public:
  Transformer(const TransformerOptions& options, uint64_t seed);

  nlohmann::json config() const override { return to_json(options_); }
  nn::ParameterList parameters() override;
  std::vector<Stored> stored() override;
  void weights_changed() override { ready_.reset(); }
  data::SpecialIds special_ids() const override { return options_.ids; }
  data::SpecialIds source_special_ids() const override { return options_.source_ids; }
  Cost cost(const data::Batch& batch, const CostOptions& options) override;
  Tensor log_probs(const data::Batch& batch, Tensor* look) override;
  std::unique_ptr<Decoding> decode(const data::SourceBatch& source, int64_t beams) override;
  std::optional<PairLooks> looks(const data::Batch& batch) override;
  int64_t longest_source() const override { return options_.longest(); }
  int64_t longest_target() const override { return options_.longest(); }
  int64_t source_vocab() const override { return options_.source_vocab; }
  int64_t target_vocab() const override { return options_.target_vocab; }

  const TransformerOptions& options() const { return options_; }

 private:
  friend class TransformerDecoding;
  friend class TransformerRun;
  // Laid out for running; made when first asked for, where all of its layers can be.
  struct Ready {
    std::vector<nn::ReadyLayer> encoder, decoder;
    nn::ReadyNorm encoder_norm, decoder_norm;
    nn::ReadyLinear output;
  };
  Ready& ready();
  bool can_be_ready() const;
  using Layers = std::vector<std::unique_ptr<nn::TransformerLayer>>;

  // A source, read.
  struct Encoded {
    PoolVector<nn::AttentionMemory> memory;  // as each layer of the decoder meets it
    Tensor lengths;                          // i32 [B]
  };
  struct Request {
    nn::Noise noise, hidden_noise;
    bool training = false, want_scores = false, want_look = false;
    PairLooks* looks = nullptr;  // receives where everybody looks
  };
  // What a whole target was taught as.
  struct Taught {
    Var outputs;  // [B, T, E]
    Var scores;   // [B, H, T, S] of the last layer's attention to the source, where asked for
    Tensor look;  // the same as weights
  };

  // Words [B, T] as vectors that know their places; those of a target at first, first + 1, ...
  Var read_source(const Tensor& ids);
  Var read_target(const Tensor& ids, int64_t first);
  Var place(Var words, int64_t first, nn::Parameter& learned);
  Encoded encode(const data::SourceBatch& source, const Request& request);
  Taught teach(const data::Batch& batch, const Encoded& encoded, const Request& request);
  nn::TransformerCall call(const Request& request, uint64_t layer) const;
  Var output_weight() { return output_ ? output_->weight() : target_words_->table(); }
  Var output_bias() { return output_ ? output_->bias() : autograd::watch(output_bias_); }

  TransformerOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::Embedding> source_words_, target_words_;
  nn::Parameter source_positions_, target_positions_;  // learned ones
  Tensor sinusoidal_;                                  // grows with what was read
  Layers encoder_, decoder_;
  std::optional<nn::Norm> encoder_norm_, decoder_norm_;
  std::optional<nn::Linear> output_;
  nn::Parameter output_bias_;  // of tied embeddings
  std::optional<Ready> ready_;
};

}  // namespace fovea::models
