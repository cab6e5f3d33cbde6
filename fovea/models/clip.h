// CLIP (Radford et al. 2021): texts and pictures as vectors that can be compared.
//
//   text      x = words + positions; layers of causal self-attention; W norm(x) at the end of the text
//   picture   W norm(x) of the class token of a Transformer over patches (models/vit.h)
//   match     exp(logit_scale) cos(text, picture)
//
// It is read, written and run here, and not trained.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/models/clip_options.h"
#include "fovea/models/net.h"
#include "fovea/models/vit.h"

namespace fovea::models {

// What every layer of its texts is.
nn::TransformerLayerOptions layer_options(const ClipTextOptions& options);

class Clip final : public Net {
 public:
  Clip(const ClipOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<Stored> stored() override;
  // Throws: it is not trained here.
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  ClipOptions options_;
  std::optional<nn::Embedding> embedding_, positions_;
  std::vector<std::unique_ptr<nn::TransformerLayer>> layers_;
  std::optional<nn::Norm> norm_;
  std::optional<nn::Linear> projection_;
  Vit vision_;
  nn::Parameter logit_scale_;  // [1]
};

}  // namespace fovea::models
