// What ViT, DeiT and the pictures of CLIP have in common: the keys of their configs.
#pragma once

#include "fovea/models/layouts/heads.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/preprocessor.h"
#include "fovea/models/weight_files.h"

namespace fovea::models {

// A number, or [height, width] of the same.
inline void square_field(FieldReader& f, const char* key, int64_t& x, int64_t otherwise) {
  const nlohmann::json& all = f.config().json();
  if (f.config().has(key) && all[key].is_array()) {
    const nlohmann::json& both = all[key];
    check(both.size() == 2 && both[0].is_number_integer() && both[0] == both[1], f.config().who(),
          "config: {} is {}: expected a number of pixels, or the same twice", key, quote(both.dump()));
    const nlohmann::json one = {{key, both[0]}};
    x = HfConfig(one, f.config().who()).number(key, otherwise);
    return;
  }
  f(key, x, otherwise);
}
inline void square_field(FieldWriter& f, const char* key, int64_t x, int64_t otherwise) {
  f(key, x, otherwise);
}

// Keys of the stack over patches, which CLIP's has, too.
template <typename F>
void patch_fields(F& f, VitOptions& o, int64_t patch_size, double eps) {
  f("hidden_size", o.dim_model, 768);
  f("num_hidden_layers", o.enc_depth, 12);
  f("num_attention_heads", o.heads, 12);
  f("intermediate_size", o.dim_ffn, 3072);
  f("layer_norm_eps", o.norm_eps, eps);
  square_field(f, "image_size", o.picture_size, 224);
  square_field(f, "patch_size", o.patch_size, patch_size);
  f("num_channels", o.channels, 3);
}

// `family` is what the names of architectures begin with: "ViT".
template <typename F>
void vit_fields(F& f, VitOptions& o, const std::string& family, std::span<const HeadName> heads) {
  const std::string processor = family + "ImageProcessor";
  patch_fields(f, o, 16, 1e-12);
  f.activation("hidden_act", o.activation, "gelu");
  f("hidden_dropout_prob", o.dropout, 0.0);
  f("attention_probs_dropout_prob", o.dropout_attention, 0.0);
  f.only("qkv_bias", true);
  if constexpr (std::remove_reference_t<F>::kReads) {
    o.head = head_of(f.config(), family, heads);
    if (o.head != "none") o.labels = labels_of(f.config());
    o.pooler = o.head == "none" && f.config().flag("has_pooler", false);
    read_preprocessor(f.config().json(), processor.c_str(), o);
  } else {
    for (const HeadName& head : heads)
      if (o.head == head.name) f.write("architectures", {family + head.suffix});
    write_labels(f, o.labels);
    if (o.pooler) f.write("has_pooler", true);
    f.write("preprocessor", preprocessor_json(o, processor.c_str()));
  }
}

inline void complete_vit(nlohmann::json& config, const std::string& dir, const WeightFiles& files) {
  add_preprocessor(config, dir);
  const Layout* layout = find_layout(config["model_type"].get<std::string>());
  config["has_pooler"] =
      files.contains(name_in(files, layout, std::string(layout->prefix) + "pooler.dense.weight"));
}

}  // namespace fovea::models
