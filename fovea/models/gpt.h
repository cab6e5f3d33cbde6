// The Transformer that continues a text: a decoder alone, each word looking at itself and those before it (Radford et al. 2019;
// Touvron et al. 2023). Norms stand before the parts, and one more at the end.
//
//   x        words + positions          (rotary: the heads turn instead)
//   layers   self-attention under a causal mask, feed-forward network
//   logits   W norm(h), W the table of words where it is tied
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/models/gpt_options.h"
#include "fovea/models/net.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/transformer_layer.h"

namespace fovea::models {

// What every layer of it is.
nn::TransformerLayerOptions layer_options(const GptOptions& options);

class Gpt final : public Net {
 public:
  Gpt(const GptOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<Stored> stored() override;
  // Reads batch.target_in, and is to say batch.target_out.
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

  const GptOptions& options() const { return options_; }

 private:
  // States after the last norm, [B, T, E].
  Var read(const Tensor& ids, const nn::Noise& noise);
  Var output_weight() { return output_ ? output_->weight() : embedding_.table(); }
  void draw_first_weights(Random& random);

  GptOptions options_;
  uint64_t seed_;  // of noise
  nn::Embedding embedding_;
  nn::Parameter positions_;  // [block_size, n_embd]; rotary ones need none
  std::vector<std::unique_ptr<nn::TransformerLayer>> layers_;
  nn::Norm norm_;
  std::optional<nn::Linear> output_;  // where it is not tied
};

}  // namespace fovea::models
