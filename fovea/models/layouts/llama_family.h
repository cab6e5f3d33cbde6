// What Llama and its relatives have in common: RMS norms, rotary positions, a gated feed-forward network; keys may be shared by
// groups of heads.
#pragma once

#include "fovea/models/gpt_options.h"
#include "fovea/models/layouts/fields.h"
#include "fovea/models/layouts/names.h"

namespace fovea::models {

inline constexpr NameRule kLlamaNames[] = {
    {"embedding.", "model.embed_tokens."},
    {"layer.#.self_norm.", "model.layers.#.input_layernorm."},
    {"layer.#.self.qkv.", "model.layers.#.self_attn.q_proj.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "model.layers.#.self_attn.k_proj.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "model.layers.#.self_attn.v_proj.", false, NameRule::kValue},
    {"layer.#.self.out.", "model.layers.#.self_attn.o_proj."},
    {"layer.#.feed_forward_norm.", "model.layers.#.post_attention_layernorm."},
    {"layer.#.feed_forward.in.", "model.layers.#.mlp.up_proj."},
    {"layer.#.feed_forward.gate.", "model.layers.#.mlp.gate_proj."},
    {"layer.#.feed_forward.out.", "model.layers.#.mlp.down_proj."},
    {"norm.", "model.norm."},
    {"output.", "lm_head."},
};
inline constexpr std::string_view kLlamaLeftOut[] = {".rotary_emb.inv_freq", "lm_head.weight"};

inline void fix_llama(GptOptions& o) {
  o.norm = "rms";
  o.positions = "rotary";
  o.gated = true;
  o.activation = "silu";
  o.bias = false;
  o.norm_eps = 1e-6;
}

// Where older programs look for the base, and newer ones. Only plain rotary positions are computed.
inline void rotary_positions(FieldReader& f, GptOptions& o) {
  f("rope_theta", o.rope_base, 10000.0);
  if (f.config().has("rope_parameters")) {
    const HfConfig rope(f.config().json()["rope_parameters"], "gpt");
    for (const auto& [key, value] : rope.json().items())
      if (key != "rope_theta")
        rope.only(key.c_str(), key == "partial_rotary_factor" ? nlohmann::json(1.0) : "default");
    o.rope_base = rope.real("rope_theta", o.rope_base);
  }
  check(!f.config().has("rope_scaling"), "gpt",
        "config: rope_scaling is not possible here: only plain rotary positions are");
}
inline void rotary_positions(FieldWriter& f, const GptOptions& o) {
  f.write("rope_theta", o.rope_base);
  f.write("rope_parameters", {{"rope_type", "default"}, {"rope_theta", o.rope_base}});
}

inline void key_heads(FieldReader& f, GptOptions& o) { f("num_key_value_heads", o.n_kv_head, 0); }
inline void key_heads(FieldWriter& f, const GptOptions& o) {
  f.write("num_key_value_heads", o.n_kv_head > 0 ? o.n_kv_head : o.n_head);
}

inline void hidden_units(FieldReader& f, GptOptions& o, int64_t otherwise) {
  f("intermediate_size", o.dim_ffn, otherwise);
}
inline void hidden_units(FieldWriter& f, const GptOptions& o, int64_t) {
  f.write("intermediate_size", o.hidden());
}

// The keys that they share; `sizes` are what a missing key means.
struct LlamaSizes {
  int64_t vocab, width, hidden, positions;
};
template <typename Fields>
void llama_fields(Fields& f, GptOptions& o, const LlamaSizes& sizes) {
  f("vocab_size", o.vocab, sizes.vocab);
  f("num_hidden_layers", o.n_layer, 32);
  f("num_attention_heads", o.n_head, 32);
  key_heads(f, o);
  f("hidden_size", o.n_embd, sizes.width);
  hidden_units(f, o, sizes.hidden);
  f("max_position_embeddings", o.block_size, sizes.positions);
  f.activation("hidden_act", o.activation, "silu");
  f("rms_norm_eps", o.norm_eps, 1e-6);
  f("attention_dropout", o.dropout, 0.0);
  f("tie_word_embeddings", o.tied, false);
  rotary_positions(f, o);
  f.id("bos_token_id", o.sos);
  f.ids("eos_token_id", o.ends);
}

}  // namespace fovea::models
