// A recurrent net that reads a picture row by row, from the top down, and labels it.
//
//   x_t      the pixels of row t, side by side
//   h_t      a stack of cells (nn/recurrent.h)
//   vector   h of the last row
//   labels   W vector + b
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "fovea/models/net.h"
#include "fovea/models/picture_options.h"
#include "fovea/nn/recurrent.h"

namespace fovea::models {

struct RowRnnOptions : PictureOptions {
  std::string cell = "lstm";
  int64_t enc_depth = 1, dim_rnn = 256;
  std::vector<std::string> labels;
  double dropout = 0;  // between layers, and of the vector

  int64_t row_width() const { return picture_size * channels; }
  double least_weights() const;
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    each_of_picture(o, f);
    f("cell", o.cell);
    f("enc_depth", o.enc_depth);
    f("dim_rnn", o.dim_rnn);
    f("labels", o.labels);
    f("dropout", o.dropout);
  }
};

nlohmann::json to_json(const RowRnnOptions& options);
RowRnnOptions rowrnn_options_from(const nlohmann::json& config);

class RowRnn final : public Net {
 public:
  RowRnn(const RowRnnOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  // Looks at batch.pictures, and is to say batch.target_out [B, 1].
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  RowRnnOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::Recurrent> encoder_;
  std::optional<nn::Linear> classifier_;
};

}  // namespace fovea::models
