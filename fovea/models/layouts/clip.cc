// CLIP (Radford et al. 2021): texts and pictures as vectors that can be compared. config.json has a config for each of the two.
#include "fovea/models/layouts/vit_family.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"text.embedding.", "text_model.embeddings.token_embedding."},
    {"text.positions.", "text_model.embeddings.position_embedding."},
    {"text.layer.#.self.qkv.", "text_model.encoder.layers.#.self_attn.q_proj.", false, NameRule::kQuery},
    {"text.layer.#.self.qkv.", "text_model.encoder.layers.#.self_attn.k_proj.", false, NameRule::kKey},
    {"text.layer.#.self.qkv.", "text_model.encoder.layers.#.self_attn.v_proj.", false, NameRule::kValue},
    {"text.layer.#.self.out.", "text_model.encoder.layers.#.self_attn.out_proj."},
    {"text.layer.#.self_norm.", "text_model.encoder.layers.#.layer_norm1."},
    {"text.layer.#.feed_forward.in.", "text_model.encoder.layers.#.mlp.fc1."},
    {"text.layer.#.feed_forward.out.", "text_model.encoder.layers.#.mlp.fc2."},
    {"text.layer.#.feed_forward_norm.", "text_model.encoder.layers.#.layer_norm2."},
    {"text.norm.", "text_model.final_layer_norm."},
    {"text.projection.", "text_projection."},
    {.ours = "vision.class_token.weight", .theirs = "vision_model.embeddings.class_embedding", .lead = -1},
    {.ours = "vision.patches.weight",
     .theirs = "vision_model.embeddings.patch_embedding.weight",
     .patches = true},
    {"vision.positions.", "vision_model.embeddings.position_embedding."},
    {"vision.first_norm.", "vision_model.pre_layrnorm."},
    {"vision.layer.#.self.qkv.", "vision_model.encoder.layers.#.self_attn.q_proj.", false, NameRule::kQuery},
    {"vision.layer.#.self.qkv.", "vision_model.encoder.layers.#.self_attn.k_proj.", false, NameRule::kKey},
    {"vision.layer.#.self.qkv.", "vision_model.encoder.layers.#.self_attn.v_proj.", false, NameRule::kValue},
    {"vision.layer.#.self.out.", "vision_model.encoder.layers.#.self_attn.out_proj."},
    {"vision.layer.#.self_norm.", "vision_model.encoder.layers.#.layer_norm1."},
    {"vision.layer.#.feed_forward.in.", "vision_model.encoder.layers.#.mlp.fc1."},
    {"vision.layer.#.feed_forward.out.", "vision_model.encoder.layers.#.mlp.fc2."},
    {"vision.layer.#.feed_forward_norm.", "vision_model.encoder.layers.#.layer_norm2."},
    {"vision.norm.", "vision_model.post_layernorm."},
    {"vision.projection.", "visual_projection."},
    {.ours = "logit_scale", .theirs = "logit_scale", .lead = -1},
};
constexpr std::string_view kLeftOut[] = {"embeddings.position_ids"};
constexpr HeadName kHeads[] = {{"none", "Model"}};
constexpr const char* kProcessor = "CLIPImageProcessor";

void fix(ClipOptions& o) {
  o.vision.layout = "clip";
  o.vision.head = "none";
  o.vision.patch_bias = false;
  o.vision.first_norm = true;
}

constexpr auto kFields = [](auto& f, ClipOptions& o) {
  constexpr bool kReads = std::remove_reference_t<decltype(f)>::kReads;
  f("projection_dim", o.projection, 512);
  f.nested("text_config", [&](auto& g) {
    g.write("model_type", "clip_text_model");
    g("vocab_size", o.text.vocab, 49408);
    g("hidden_size", o.text.width, 512);
    g("num_hidden_layers", o.text.layers, 12);
    g("num_attention_heads", o.text.heads, 8);
    g("intermediate_size", o.text.dim_ffn, 2048);
    g("max_position_embeddings", o.text.max_positions, 77);
    g.activation("hidden_act", o.text.activation, "quick_gelu");
    g("layer_norm_eps", o.text.norm_eps, 1e-5);
    g("attention_dropout", o.text.dropout_attention, 0.0);
    g.write("projection_dim", o.projection);
    g.id("bos_token_id", o.text.bos);
    g.id("eos_token_id", o.text.eos);
    g.id("pad_token_id", o.text.pad);
    if constexpr (kReads) {
      constexpr int32_t kUsualEnd = 49407;
      if (o.text.eos < 0) o.text.eos = kUsualEnd;
      g.config().check_ids(o.text.vocab);
      check(o.text.eos < o.text.vocab, "clip",
            "config: text_config names no eos_token_id, and the usual one, {}, is none of a vocabulary of {}",
            kUsualEnd, o.text.vocab);
    }
  });
  f.nested("vision_config", [&](auto& g) {
    g.write("model_type", "clip_vision_model");
    patch_fields(g, o.vision, 32, 1e-5);
    g.activation("hidden_act", o.vision.activation, "quick_gelu");
    g("attention_dropout", o.vision.dropout_attention, 0.0);
    g.write("projection_dim", o.projection);
  });
  o.vision.projection = o.projection;
  if constexpr (kReads) {
    head_of(f.config(), "CLIP", kHeads);
    read_preprocessor(f.config().json(), kProcessor, o.vision);
  } else {
    f.write("architectures", {"CLIPModel"});
    f.write("preprocessor", preprocessor_json(o.vision, kProcessor));
  }
};

// Older files say it twice, and what stands in *_config_dict wins.
void complete(nlohmann::json& config, const std::string& dir, const WeightFiles&) {
  for (const char* key : {"text_config", "vision_config"}) {
    const std::string other = std::string(key) + "_dict";
    if (!config.contains(other)) continue;
    if (config[other].is_object()) {
      if (!config.contains(key) || !config[key].is_object()) config[key] = nlohmann::json::object();
      config[key].update(config[other]);
    }
    config.erase(other);
  }
  add_preprocessor(config, dir);
}

}  // namespace

constexpr Layout layouts::kClip = {.model_type = "clip",
                                   .model = "clip",
                                   .names = kNames,
                                   .prefix = "",
                                   .left_out = kLeftOut,
                                   .config = config_form<ClipOptions, fix>(kFields),
                                   .complete = complete};

}  // namespace fovea::models
