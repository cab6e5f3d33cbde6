#include "fovea/models/clip_options.h"

#include <limits>

#include "fovea/models/layouts/layout.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {

double ClipOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double E = real(text.width);
  return vision.least_weights() + E * real(text.vocab + text.max_positions + projection) +
         real(text.layers) * (4 * E * E + 2 * E * real(text.dim_ffn));
}

void ClipOptions::check() const {
  constexpr int64_t kMost = 1 << 20;
  check_within("clip", "text_config: a vocabulary of", text.vocab, 1, std::numeric_limits<int32_t>::max());
  check_within("clip", "text_config: layers", text.layers, 1, 1000);
  check_within("clip", "text_config: heads", text.heads, 1, kMost);
  check_within("clip", "text_config: width", text.width, 1, kMost);
  check_within("clip", "text_config: intermediate_size", text.dim_ffn, 1, 4 * kMost);
  check_within("clip", "text_config: max_position_embeddings", text.max_positions, 1, kMost);
  check_within("clip", "projection_dim", projection, 1, kMost);
  fovea::check(text.width % text.heads == 0, "clip", "text_config: width {} does not divide into {} heads",
               text.width, text.heads);
  fovea::check(text.norm_eps > 0, "clip", "text_config: a norm's eps of {}: expected more than 0",
               text.norm_eps);
  fovea::check(text.dropout_attention >= 0 && text.dropout_attention < 1, "clip",
               "text_config: a dropout of {}: expected 0 to below 1", text.dropout_attention);
  nn::activation_named(text.activation);
  vision.check();
  check_weights("clip", least_weights(), "it");
}

nlohmann::json to_json(const ClipOptions& options) { return config_of(layouts::kClip, options); }

ClipOptions clip_options_from(const nlohmann::json& config) {
  auto options = options_from_layout<ClipOptions>(config, "clip");
  options.check();
  return options;
}

}  // namespace fovea::models
