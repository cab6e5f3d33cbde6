// MarianMT (Junczys-Dowmunt et al. 2018): the Transformer of Vaswani et al., norms after the parts, one table of words for both sides.
#include "fovea/models/layouts/layout.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"embedding.", "model.shared."},
    {"encoder.#.self_norm.", "model.encoder.layers.#.self_attn_layer_norm."},
    {"encoder.#.self.qkv.", "model.encoder.layers.#.self_attn.q_proj.", false, NameRule::kQuery},
    {"encoder.#.self.qkv.", "model.encoder.layers.#.self_attn.k_proj.", false, NameRule::kKey},
    {"encoder.#.self.qkv.", "model.encoder.layers.#.self_attn.v_proj.", false, NameRule::kValue},
    {"encoder.#.self.out.", "model.encoder.layers.#.self_attn.out_proj."},
    {"encoder.#.feed_forward_norm.", "model.encoder.layers.#.final_layer_norm."},
    {"encoder.#.feed_forward.in.", "model.encoder.layers.#.fc1."},
    {"encoder.#.feed_forward.out.", "model.encoder.layers.#.fc2."},
    {"decoder.#.self_norm.", "model.decoder.layers.#.self_attn_layer_norm."},
    {"decoder.#.self.qkv.", "model.decoder.layers.#.self_attn.q_proj.", false, NameRule::kQuery},
    {"decoder.#.self.qkv.", "model.decoder.layers.#.self_attn.k_proj.", false, NameRule::kKey},
    {"decoder.#.self.qkv.", "model.decoder.layers.#.self_attn.v_proj.", false, NameRule::kValue},
    {"decoder.#.self.out.", "model.decoder.layers.#.self_attn.out_proj."},
    {"decoder.#.cross_norm.", "model.decoder.layers.#.encoder_attn_layer_norm."},
    {"decoder.#.cross.query.", "model.decoder.layers.#.encoder_attn.q_proj."},
    {"decoder.#.cross.key.", "model.decoder.layers.#.encoder_attn.k_proj."},
    {"decoder.#.cross.value.", "model.decoder.layers.#.encoder_attn.v_proj."},
    {"decoder.#.cross.out.", "model.decoder.layers.#.encoder_attn.out_proj."},
    {"decoder.#.feed_forward_norm.", "model.decoder.layers.#.final_layer_norm."},
    {"decoder.#.feed_forward.in.", "model.decoder.layers.#.fc1."},
    {"decoder.#.feed_forward.out.", "model.decoder.layers.#.fc2."},
    {.ours = "output.bias", .theirs = "final_logits_bias", .lead = 1},
};
constexpr std::string_view kLeftOut[] = {".embed_positions.weight", ".embed_tokens.weight", "lm_head.weight"};

void fix(TransformerOptions& o) {
  o.tied_embeddings_all = true;
  o.norm = "post";
  o.positions = "sinusoidal";
  o.bounded = true;
  o.start = "learned";  // by the row of decoder_start_token_id, which is <pad> and zero in MarianMT's own
}

constexpr auto kFields = [](auto& f, TransformerOptions& o) {
  f.write("architectures", {"MarianMTModel"});
  f.write("is_encoder_decoder", true);
  f("vocab_size", o.target_vocab, 58101);
  o.source_vocab = o.target_vocab;
  f.only("decoder_vocab_size", o.target_vocab);
  f.only("share_encoder_decoder_embeddings", true);
  f.only("tie_word_embeddings", true);
  f("d_model", o.dim_model, 1024);
  f("encoder_layers", o.enc_depth, 12);
  f("decoder_layers", o.dec_depth, 12);
  f("encoder_attention_heads", o.heads, 16);
  f.decoder("decoder_attention_heads", o.dec_heads, o.heads, 16);
  f("encoder_ffn_dim", o.dim_ffn, 4096);
  f.decoder("decoder_ffn_dim", o.dec_dim_ffn, o.dim_ffn, 4096);
  f.only("normalize_before", false);
  f.only("normalize_embedding", false);
  f.only("static_position_embeddings", true);
  f("max_position_embeddings", o.max_positions, 1024);
  f.activation("activation_function", o.activation, "gelu");
  f("scale_embedding", o.scale_embeddings, false);
  f("dropout", o.dropout, 0.1);
  f("attention_dropout", o.dropout_attention, 0.0);
  f("activation_dropout", o.dropout_ffn, 0.0);
  f.id("pad_token_id", o.ids.pad);
  f.id("eos_token_id", o.ids.eos);
  f.id("decoder_start_token_id", o.ids.sos);
  if constexpr (std::remove_reference_t<decltype(f)>::kReads) {
    f.id("unk_token_id", o.ids.unk);  // whoever has the tokenizer knows it
    o.source_ids = o.ids;
  }
};

}  // namespace

constexpr Layout layouts::kMarian = {.model_type = "marian",
                                     .model = "transformer",
                                     .names = kNames,
                                     .prefix = "",
                                     .left_out = kLeftOut,
                                     .config = config_form<TransformerOptions, fix>(kFields),
                                     .sentencepiece = true};

}  // namespace fovea::models
