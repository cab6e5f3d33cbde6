// Llama (Touvron et al. 2023): RMS norms, rotary positions, no biases, a gated feed-forward network; keys may be shared by groups of heads.
#include "fovea/models/layouts/generation_config.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/layouts/rope.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"words.", "model.embed_tokens."},
    {"layer.#.self_norm.", "model.layers.#.input_layernorm."},
    {"layer.#.self.qkv.", "model.layers.#.self_attn.q_proj.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "model.layers.#.self_attn.k_proj.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "model.layers.#.self_attn.v_proj.", false, NameRule::kValue},
    {"layer.#.self.out.", "model.layers.#.self_attn.o_proj."},
    {"layer.#.think_norm.", "model.layers.#.post_attention_layernorm."},
    {"layer.#.think.in.", "model.layers.#.mlp.up_proj."},
    {"layer.#.think.gate.", "model.layers.#.mlp.gate_proj."},
    {"layer.#.think.out.", "model.layers.#.mlp.down_proj."},
    {"norm.", "model.norm."},
    {"output.", "lm_head."},
};
constexpr std::string_view kLeftOut[] = {".rotary_emb.inv_freq", "lm_head.weight"};

void fix(GptOptions& o) {
  o.norm = "rms";
  o.positions = "rotary";
  o.gated = true;
  o.activation = "silu";
  o.bias = false;
  o.norm_eps = 1e-6;
}

constexpr auto kFields = [](auto& f, GptOptions& o) {
  f.write("architectures", {"LlamaForCausalLM"});
  f("vocab_size", o.vocab, 32000);
  f("num_hidden_layers", o.n_layer, 32);
  f("num_attention_heads", o.n_head, 32);
  key_heads(f, o);
  f("hidden_size", o.n_embd, 4096);
  hidden_units(f, o, 11008);
  f("max_position_embeddings", o.block_size, 2048);
  f.activation("hidden_act", o.activation, "silu");
  f("rms_norm_eps", o.norm_eps, 1e-6);
  f("attention_dropout", o.dropout, 0.0);
  f("tie_word_embeddings", o.tied, false);
  rotary_positions(f, o);
  f.only("attention_bias", false);
  f.only("mlp_bias", false);
  if (o.n_head > 0) f.only("head_dim", o.n_embd / o.n_head);
  f.id("bos_token_id", o.sos);
  f.ids("eos_token_id", o.ends);
};

}  // namespace

constexpr Layout layouts::kLlama = {.model_type = "llama",
                                    .model = "gpt",
                                    .names = kNames,
                                    .prefix = "model.",
                                    .left_out = kLeftOut,
                                    .config = config_form<GptOptions, fix>(kFields),
                                    .complete = add_generation_ends};

}  // namespace fovea::models
