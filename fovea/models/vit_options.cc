#include "fovea/models/vit_options.h"

#include "fovea/models/layouts/layout.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {

double VitOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(dim_model);
  return real(enc_depth) * width * (4 * width + 2 * real(dim_ffn)) + width * real(tokens() + projection) +
         width * real(patch_size * patch_size * channels);
}

void VitOptions::check() const {
  constexpr int64_t kMost = 1 << 20;
  check_picture("vit");
  check_within("vit", "patch_size", patch_size, 1, picture_size);
  fovea::check(picture_size % patch_size == 0, "vit",
               "a picture_size of {} does not divide into patches with a patch_size of {}", picture_size,
               patch_size);
  check_within("vit", "enc_depth", enc_depth, 1, kMost);
  check_within("vit", "heads", heads, 1, kMost);
  check_within("vit", "dim_model", dim_model, 1, kMost);
  check_within("vit", "dim_ffn", dim_ffn, 1, kMost);
  fovea::check(dim_model % heads == 0, "vit", "dim_model {} does not divide into {} heads", dim_model, heads);
  nn::activation_named(activation);
  expect_one_of("vit", "head", head, {"labels", "teacher", "none"});
  fovea::check(head == "none" || !labels.empty(), "vit", "there are no labels: expected one or more");
  fovea::check(head != "teacher" || distilled, "vit", "a head of a teacher without its token");
  fovea::check(norm_eps > 0, "vit", "a norm's eps of {}: expected more than 0", norm_eps);
  if (projection != 0) check_within("vit", "projection", projection, 1, kMost);
  check_weights("vit", least_weights(), "dim_model, dim_ffn or enc_depth");
  for (const double rate : {dropout, dropout_attention})
    fovea::check(rate >= 0 && rate < 1, "vit", "a dropout of {}: expected 0 to below 1", rate);
}

nlohmann::json to_json(const VitOptions& options) { return config_of(*find_layout(options.layout), options); }

VitOptions vit_options_from(const nlohmann::json& config) {
  const bool settings = config.is_object() && config.contains("picture_size");
  const auto options = settings ? options_from_json<VitOptions>(config, "vit")
                                : options_from_layout<VitOptions>(config, "vit");
  options.check();
  if (settings) check_labels("vit", options.labels);
  return options;
}

}  // namespace fovea::models
