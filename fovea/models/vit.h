// The Transformer over patches of a picture (Dosovitskiy et al. 2021), which labels pictures. Norms stand before the parts.
//
//   x        [class token; W patch_1 + b; ...; W patch_N + b] + positions
//   layers   self-attention, feed-forward network
//   vector   norm(x) of the class token
//   labels   W vector + b
//
// DeiT (Touvron et al. 2021) has a second token behind the class token, which learned from a teacher; with the head "teacher" its labels
// count, too: the mean of both. CLIP's pictures (models/clip.h) are read by one without biases of patches, with a norm of x before the
// layers, and a projection of the vector.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fovea/models/net.h"
#include "fovea/models/vit_options.h"
#include "fovea/nn/convolution.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/transformer_layer.h"

namespace fovea::models {

// What every layer of it is.
nn::TransformerLayerOptions layer_options(const VitOptions& options);

class Vit final : public Net {
 public:
  Vit(const VitOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  void collect(const std::string& prefix, nn::ParameterList& list);
  std::vector<Stored> stored() override;
  // Looks at batch.pictures, and is to say batch.target_out [B, 1].
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  VitOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::PatchEmbedding> patches_;
  std::optional<nn::Embedding> class_token_, distillation_token_, positions_;  // [1, width], [tokens, width]
  std::optional<nn::Norm> first_norm_;
  std::vector<std::unique_ptr<nn::TransformerLayer>> layers_;
  std::optional<nn::Norm> norm_;
  std::optional<nn::Linear> classifier_, teacher_classifier_, pooler_, projection_;
};

}  // namespace fovea::models
