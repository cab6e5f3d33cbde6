// The Transformer over patches of a picture (Dosovitskiy et al. 2021), which labels pictures. Norms stand before the parts.
//
//   x        [class token; W patch_1 + b; ...; W patch_N + b] + positions
//   layers   self-attention, feed-forward network
//   vector   norm(x) of the class token
//   labels   W vector + b
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "fovea/models/net.h"
#include "fovea/models/picture_options.h"
#include "fovea/nn/convolution.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/transformer_layer.h"

namespace fovea::models {

struct VitOptions : PictureOptions {
  int64_t patch_size = 4;  // height and width; pictures divide into whole patches
  int64_t enc_depth = 6, heads = 4, dim_model = 128, dim_ffn = 512;
  std::string activation = "gelu";
  std::vector<std::string> labels;
  double dropout = 0, dropout_attention = 0;

  int64_t patches() const { return (picture_size / patch_size) * (picture_size / patch_size); }
  double least_weights() const;
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    each_of_picture(o, f);
    f("patch_size", o.patch_size);
    f("enc_depth", o.enc_depth);
    f("heads", o.heads);
    f("dim_model", o.dim_model);
    f("dim_ffn", o.dim_ffn);
    f("activation", o.activation);
    f("labels", o.labels);
    f("dropout", o.dropout);
    f("dropout_attention", o.dropout_attention);
  }
};

nlohmann::json to_json(const VitOptions& options);
VitOptions vit_options_from(const nlohmann::json& config);
// What every layer of it is.
nn::TransformerLayerOptions layer_options(const VitOptions& options);

class Vit final : public Net {
 public:
  Vit(const VitOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  // Looks at batch.pictures, and is to say batch.target_out [B, 1].
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  VitOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::PatchEmbedding> patches_;
  std::optional<nn::Embedding> class_token_, positions_;  // [1, width], [1 + patches, width]
  std::vector<std::unique_ptr<nn::TransformerLayer>> layers_;
  std::optional<nn::Norm> norm_;
  std::optional<nn::Linear> classifier_;
};

}  // namespace fovea::models
