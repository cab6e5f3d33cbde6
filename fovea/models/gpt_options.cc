#include "fovea/models/gpt_options.h"

#include <limits>

#include "fovea/base/grouped.h"
#include "fovea/models/hf_config.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {

constexpr const char* kWho = "gpt";

GptOptions from_gpt2(const HfConfig& config) {
  GptOptions o = gpt_defaults("gpt2");
  o.vocab = config.number("vocab_size", 50257);
  o.n_layer = config.number("n_layer", 12);
  o.n_head = config.number("n_head", 12);
  o.n_embd = config.number("n_embd", 768);
  o.dim_ffn = config.number("n_inner", 0);
  o.block_size = config.number("n_positions", 1024);
  o.activation = activation_from_hf(config.text("activation_function", "gelu_new"));
  o.norm_eps = config.real("layer_norm_epsilon", 1e-5);
  o.dropout = config.real("resid_pdrop", 0.1);
  config.only("embd_pdrop", o.dropout);
  config.only("attn_pdrop", o.dropout);
  o.tied = config.flag("tie_word_embeddings", true);
  o.bias = config.flag("bias", true);
  config.only("scale_attn_weights", true);
  config.only("scale_attn_by_inverse_layer_idx", false);
  config.only("add_cross_attention", false);
  return o;
}

GptOptions from_llama(const HfConfig& config) {
  GptOptions o = gpt_defaults("llama");
  o.vocab = config.number("vocab_size", 32000);
  o.n_layer = config.number("num_hidden_layers", 32);
  o.n_head = config.number("num_attention_heads", 32);
  o.n_kv_head = config.number("num_key_value_heads", 0);
  o.n_embd = config.number("hidden_size", 4096);
  o.dim_ffn = config.number("intermediate_size", 11008);
  o.block_size = config.number("max_position_embeddings", 2048);
  o.activation = activation_from_hf(config.text("hidden_act", "silu"));
  o.norm_eps = config.real("rms_norm_eps", 1e-6);
  o.dropout = config.real("attention_dropout", 0);
  o.tied = config.flag("tie_word_embeddings", false);
  o.rope_base = config.real("rope_theta", 10000);
  if (config.has("rope_parameters")) {
    const HfConfig rope(config.json()["rope_parameters"], kWho);
    for (const auto& [key, value] : rope.json().items())
      if (key != "rope_theta")
        rope.only(key.c_str(), key == "partial_rotary_factor" ? nlohmann::json(1.0) : "default");
    o.rope_base = rope.real("rope_theta", o.rope_base);
  }
  check(!config.has("rope_scaling"), kWho,
        "config: rope_scaling is not possible here: only plain rotary positions are");
  config.only("attention_bias", false);
  config.only("mlp_bias", false);
  if (o.n_head > 0) config.only("head_dim", o.n_embd / o.n_head);
  return o;
}

}  // namespace

int64_t GptOptions::hidden() const {
  if (dim_ffn > 0) return dim_ffn;
  return llama() ? (8 * n_embd / 3 + 31) / 32 * 32 : 4 * n_embd;
}

double GptOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(n_embd);
  const double keys = n_kv_head > 0 && n_head > 0 ? real(n_kv_head) / real(n_head) : 1;
  const double layer = (2 + 2 * keys) * width * width + (llama() ? 3 : 2) * width * real(hidden());
  return width * real(vocab) * (tied ? 1 : 2) + (llama() ? 0 : width * real(block_size)) +
         real(n_layer) * layer;
}

void GptOptions::check() const {
  using fovea::check;
  const auto within = [](const char* what, int64_t size, int64_t most) {
    check(size >= 1 && size <= most, kWho, "{} {}: expected 1 to {}", what, grouped(size), grouped(most));
  };
  constexpr int64_t kMost = 1 << 20;
  expect_one_of(kWho, "layout", layout, {"gpt2", "llama"});
  within("a vocabulary of", vocab, std::numeric_limits<int32_t>::max());
  within("n_layer", n_layer, 1000);
  within("n_head", n_head, kMost);
  within("n_embd", n_embd, kMost);
  within("dim_ffn", hidden(), 4 * kMost);
  within("block_size", block_size, int64_t{1} << 24);
  check(n_embd % n_head == 0, kWho, "n_embd {} does not divide into {} heads", n_embd, n_head);
  check(n_kv_head >= 0 && (n_kv_head == 0 || n_head % n_kv_head == 0), kWho,
        "{} heads and {} key/value heads: expected one to divide the other", n_head, n_kv_head);
  check(!llama() || n_embd / n_head % 2 == 0, kWho, "rotary positions on heads of odd width {}",
        n_embd / n_head);
  check(llama() || n_kv_head == 0 || n_kv_head == n_head, kWho,
        "{} key/value heads for {} heads: only the layout llama shares keys", n_kv_head, n_head);
  nn::activation_named(activation);
  check(dropout >= 0 && dropout < 1, kWho, "a dropout of {}: expected 0 to below 1", dropout);
  check(norm_eps >= 0 && norm_eps <= 1 && rope_base >= 1, kWho, "norm_eps {} or rope_base {} is out of range",
        norm_eps, rope_base);
  constexpr double kMostWeights = 2e10;  // a mistyped number is refused before it takes all memory
  check(least_weights() <= kMostWeights, kWho,
        "about {:.3g} weights: expected {:.0g} at most; make n_embd or n_layer smaller", least_weights(),
        kMostWeights);
}

GptOptions gpt_defaults(const std::string& layout) {
  GptOptions o;
  o.layout = layout;
  if (layout != "llama") return o;
  o.activation = "silu";
  o.bias = false;
  o.norm_eps = 1e-6;
  return o;
}

nlohmann::json to_json(const GptOptions& o) {
  const auto id = [](int32_t x) { return x < 0 ? nlohmann::json() : nlohmann::json(x); };
  const nlohmann::json ends =
      o.ends.size() > 1 ? nlohmann::json(o.ends) : id(o.ends.empty() ? -1 : o.ends[0]);
  nlohmann::json json = {{"model_type", o.layout},        {"vocab_size", o.vocab},
                         {"tie_word_embeddings", o.tied}, {"bos_token_id", id(o.sos)},
                         {"eos_token_id", ends},          {"dtype", "float32"}};
  if (o.llama()) {
    json.update({{"architectures", {"LlamaForCausalLM"}},
                 {"num_hidden_layers", o.n_layer},
                 {"num_attention_heads", o.n_head},
                 {"num_key_value_heads", o.n_kv_head > 0 ? o.n_kv_head : o.n_head},
                 {"hidden_size", o.n_embd},
                 {"intermediate_size", o.hidden()},
                 {"max_position_embeddings", o.block_size},
                 {"hidden_act", activation_to_hf(o.activation)},
                 {"rms_norm_eps", o.norm_eps},
                 {"attention_dropout", o.dropout},
                 {"attention_bias", false},
                 {"mlp_bias", false},
                 {"rope_theta", o.rope_base},  // where older programs look for it
                 {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", o.rope_base}}}});
  } else {
    json.update({{"architectures", {"GPT2LMHeadModel"}},
                 {"n_layer", o.n_layer},
                 {"n_head", o.n_head},
                 {"n_embd", o.n_embd},
                 {"n_inner", o.dim_ffn > 0 ? nlohmann::json(o.dim_ffn) : nlohmann::json()},
                 {"n_positions", o.block_size},
                 {"activation_function", activation_to_hf(o.activation)},
                 {"layer_norm_epsilon", o.norm_eps},
                 {"bias", o.bias},
                 {"resid_pdrop", o.dropout},
                 {"embd_pdrop", o.dropout},
                 {"attn_pdrop", o.dropout}});
  }
  return json;
}

GptOptions gpt_options_from(const nlohmann::json& json) {
  const HfConfig config(json, kWho);
  GptOptions options = config.text("model_type", "gpt2") == "llama" ? from_llama(config) : from_gpt2(config);
  options.sos = config.id("bos_token_id");
  options.ends = config.ids("eos_token_id");
  options.check();
  return options;
}

}  // namespace fovea::models
