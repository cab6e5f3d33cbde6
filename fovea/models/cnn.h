// A convolutional net that labels pictures.
//
//   grid     conv_encoder.h
//   vector   the mean over the grid
//   labels   W vector + b
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "fovea/models/conv_encoder.h"
#include "fovea/nn/linear.h"

namespace fovea::models {

struct CnnOptions : PictureOptions, ConvOptions {
  std::vector<std::string> labels;
  double dropout = 0;  // of the vector

  double least_weights() const;
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    each_of_picture(o, f);
    each_of_conv(o, f);
    f("labels", o.labels);
    f("dropout", o.dropout);
  }
};

nlohmann::json to_json(const CnnOptions& options);
CnnOptions cnn_options_from(const nlohmann::json& config);

class Cnn final : public Net {
 public:
  Cnn(const CnnOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<NamedTensor> buffers() override;
  // Looks at batch.pictures, and is to say batch.target_out [B, 1].
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  CnnOptions options_;
  uint64_t seed_;  // of noise
  std::optional<ConvEncoder> encoder_;
  std::optional<nn::Linear> classifier_;
};

}  // namespace fovea::models
