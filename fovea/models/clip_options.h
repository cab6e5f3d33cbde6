// The shape of CLIP (models/clip.h), and its form in config.json, which is Hugging Face's.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fovea/models/vit_options.h"

namespace fovea::models {

struct ClipTextOptions {
  int64_t vocab = 49408;
  int64_t layers = 12, heads = 8, width = 512, dim_ffn = 2048;
  int64_t max_positions = 77;
  std::string activation = "quick_gelu";
  double norm_eps = 1e-5, dropout_attention = 0;
  int32_t bos = -1, eos = -1, pad = -1;

  // A text's vector is that of its first end-of-sequence token. Older configs name another id, 2: then it is that of its largest id.
  bool largest_id_ends() const { return eos == 2; }
};

struct ClipOptions {
  std::string layout = "clip";
  ClipTextOptions text;
  VitOptions vision;
  int64_t projection = 512;  // numbers of a vector

  double least_weights() const;
  void check() const;
};

nlohmann::json to_json(const ClipOptions& options);
ClipOptions clip_options_from(const nlohmann::json& config);

}  // namespace fovea::models
