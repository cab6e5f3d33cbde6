// The shape of a Transformer over patches (models/vit.h), and its form in config.json: one of the layouts of Hugging Face.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fovea/models/picture_options.h"

namespace fovea::models {

struct VitOptions : PictureOptions {
  std::string layout = "vit";  // of config.json and the names of tensors: models/layouts
  int64_t patch_size = 4;      // height and width; pictures divide into whole patches
  int64_t enc_depth = 6, heads = 4, dim_model = 128, dim_ffn = 512;
  std::string activation = "gelu";
  std::vector<std::string> labels;
  double dropout = 0, dropout_attention = 0;
  double norm_eps = 1e-5;
  std::string head = "labels";  // or "teacher", "none"
  bool distilled = false;       // a second token
  bool pooler = false;          // one that Hugging Face's models without a head have; nothing here uses it
  bool patch_bias = true, first_norm = false;
  int64_t projection = 0;  // numbers of a vector; 0: there is no projection

  int64_t first_tokens() const { return distilled ? 2 : 1; }
  int64_t tokens() const { return first_tokens() + patches(); }
  int64_t patches() const { return (picture_size / patch_size) * (picture_size / patch_size); }
  double least_weights() const;
  void check() const;

  // The settings of training.
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
// From a layout of Hugging Face, or from settings of training, which have a picture_size.
VitOptions vit_options_from(const nlohmann::json& config);

}  // namespace fovea::models
