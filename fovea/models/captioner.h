// A model that looks at a picture and says what it sees (Xu et al. 2015).
//
//   grid          conv_encoder.h: [B, g, g, C]
//   annotations   a_i = grid_i + p_i, p_i learned for each of the g * g places
//   summary       the mean of the grid
//   decoder       recurrent_decoder.h, which attends to the annotations
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "fovea/models/conv_encoder.h"
#include "fovea/models/recurrent_decoder.h"

namespace fovea::models {

struct CaptionerOptions : PictureOptions, ConvOptions {
  RnnOptions decoder;  // those of an encoder are not looked at

  int64_t places() const { return grid(picture_size) * grid(picture_size); }
  double least_weights() const;
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    each_of_picture(o, f);
    each_of_conv(o, f);
    auto& d = o.decoder;
    f("target_vocab", d.target_vocab);
    f("dim_emb", d.dim_emb);
    f("dim_rnn", d.dim_rnn);
    f("cell", d.cell);
    f("dec_depth", d.dec_depth);
    f("attention", d.attention);
    f("input_feeding", d.input_feeding);
    f("score", d.score);
    f("heads", d.heads);
    f("max_keys", d.max_keys);
    f("weigh", d.weigh);
    f("estimator", d.estimator);
    f("temperature", d.temperature);
    f("entropy_weight", d.entropy_weight);
    f("soft_share", d.soft_share);
    f("doubly_stochastic", d.doubly_stochastic);
    f("dim_readout", d.dim_readout);
    f("tied_embeddings", d.tied_embeddings);
    f("dropout", d.dropout);
    each_special_id(d, f);
  }
};

nlohmann::json to_json(const CaptionerOptions& options);
CaptionerOptions captioner_options_from(const nlohmann::json& config);

class Captioner final : public Net {
 public:
  Captioner(const CaptionerOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<NamedTensor> buffers() override;
  // Looks at batch.pictures, and is to say batch.target_out.
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  RecurrentDecoder::Annotations look(const Tensor& pictures, const nn::Noise& noise, bool training);

  CaptionerOptions options_;
  std::optional<ConvEncoder> encoder_;
  std::optional<nn::Embedding> positions_;  // [g * g, C]
  std::optional<RecurrentDecoder> decoder_;
};

}  // namespace fovea::models
