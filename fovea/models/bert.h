// The Transformer that reads a text as a whole (Devlin et al. 2019): each word looks at all of them. Norms stand after the parts.
//
//   x        norm(words + positions + segments), where it has segments
//   layers   self-attention, feed-forward network
//   words    W norm(f(W' h + b')) + b, W the table of words          (masked-word training, `fill`)
//   labels   W f(W' h_[CLS] + b') + b of a sentence;  W h + b of every word
//   vector   the mean of the states, or that of [CLS], of length 1
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/models/bert_options.h"
#include "fovea/models/net.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/transformer_layer.h"

namespace fovea::models {

// What every layer of it is.
nn::TransformerLayerOptions layer_options(const BertOptions& options);

class Bert final : public Net {
 public:
  Bert(const BertOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<Stored> stored() override;
  // Reads batch.source, and is to say batch.target_out: words [B, S], a label [B, 1], or labels [B, S]; kIgnore where nothing.
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

  const BertOptions& options() const { return options_; }

 private:
  // Hidden states after the last layer, [B, S, E].
  Var read(const data::SourceBatch& source, const nn::Noise& noise, bool training);
  // What the head makes of rows of states; kLabels: of the rows of [CLS].
  Var scores(const Var& rows, const nn::Noise& noise);
  void draw_first_weights(Random& random);

  BertOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::Embedding> embedding_, positions_, segments_;
  std::optional<nn::Norm> norm_;
  std::vector<std::unique_ptr<nn::TransformerLayer>> layers_;
  std::optional<nn::Linear> pooler_, transform_, classifier_;
  std::optional<nn::Norm> transform_norm_;
  nn::Parameter word_bias_;
};

}  // namespace fovea::models
