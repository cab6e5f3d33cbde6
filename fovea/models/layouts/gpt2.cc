// GPT-2 (Radford et al. 2019): layer norms, learned positions, biases, a plain feed-forward network. Products are [in, out].
#include "fovea/models/layouts/generation_config.h"
#include "fovea/models/layouts/layout.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"embedding.", "transformer.wte."},
    {"positions.", "transformer.wpe."},
    {"layer.#.self_norm.", "transformer.h.#.ln_1."},
    {"layer.#.self.qkv.", "transformer.h.#.attn.c_attn.", true},
    {"layer.#.self.out.", "transformer.h.#.attn.c_proj.", true},
    {"layer.#.feed_forward_norm.", "transformer.h.#.ln_2."},
    {"layer.#.feed_forward.in.", "transformer.h.#.mlp.c_fc.", true},
    {"layer.#.feed_forward.out.", "transformer.h.#.mlp.c_proj.", true},
    {"norm.", "transformer.ln_f."},
    {"output.", "lm_head."},
};
constexpr std::string_view kLeftOut[] = {".attn.bias", ".attn.masked_bias", "lm_head.weight"};

void fix(GptOptions& o) {
  o.norm = "layer";
  o.positions = "learned";
  o.gated = false;
  o.activation = "gelu_tanh";
  o.norm_eps = 1e-5;
}

constexpr auto kFields = [](auto& f, GptOptions& o) {
  f.write("architectures", {"GPT2LMHeadModel"});
  f("vocab_size", o.vocab, 50257);
  f("n_layer", o.n_layer, 12);
  f("n_head", o.n_head, 12);
  f("n_embd", o.n_embd, 768);
  f.or_null("n_inner", o.dim_ffn);
  f("n_positions", o.block_size, 1024);
  f.activation("activation_function", o.activation, "gelu_new");
  f("layer_norm_epsilon", o.norm_eps, 1e-5);
  f("resid_pdrop", o.dropout, 0.1);
  f.only("embd_pdrop", o.dropout);
  f.only("attn_pdrop", o.dropout);
  f("tie_word_embeddings", o.tied, true);
  f("bias", o.bias, true);
  f.only("scale_attn_weights", true);
  f.only("scale_attn_by_inverse_layer_idx", false);
  f.only("add_cross_attention", false);
  f.id("bos_token_id", o.sos);
  f.ids("eos_token_id", o.ends);
};

}  // namespace

constexpr Layout layouts::kGpt2 = {.model_type = "gpt2",
                                   .model = "gpt",
                                   .names = kNames,
                                   .prefix = "transformer.",
                                   .left_out = kLeftOut,
                                   .config = config_form<GptOptions, fix>(kFields),
                                   .complete = add_generation_ends,
                                   .zero_biases = true};

}  // namespace fovea::models
