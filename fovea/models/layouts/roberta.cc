// RoBERTa (Liu et al. 2019): BERT with one segment, and positions that are counted from behind the id of the padding.
#include "fovea/models/layouts/heads.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/sentence_config.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"embedding.", "roberta.embeddings.word_embeddings."},
    {"positions.", "roberta.embeddings.position_embeddings."},
    {"segments.", "roberta.embeddings.token_type_embeddings."},
    {"norm.", "roberta.embeddings.LayerNorm."},
    {"layer.#.self.qkv.", "roberta.encoder.layer.#.attention.self.query.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "roberta.encoder.layer.#.attention.self.key.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "roberta.encoder.layer.#.attention.self.value.", false, NameRule::kValue},
    {"layer.#.self.out.", "roberta.encoder.layer.#.attention.output.dense."},
    {"layer.#.self_norm.", "roberta.encoder.layer.#.attention.output.LayerNorm."},
    {"layer.#.feed_forward.in.", "roberta.encoder.layer.#.intermediate.dense."},
    {"layer.#.feed_forward.out.", "roberta.encoder.layer.#.output.dense."},
    {"layer.#.feed_forward_norm.", "roberta.encoder.layer.#.output.LayerNorm."},
    {"pooler.", "classifier.dense."},
    {"head.transform.", "lm_head.dense."},
    {"head.norm.", "lm_head.layer_norm."},
    {"head.bias", "lm_head.bias"},
    {"head.labels.", "classifier.out_proj."},
    {"head.token_labels.", "classifier."},
};
constexpr std::string_view kLeftOut[] = {"embeddings.position_ids", "pooler.dense.weight",
                                         "pooler.dense.bias", "lm_head.decoder.weight",
                                         "lm_head.decoder.bias"};

void fix(BertOptions& o) {
  o.segments = 1;
  o.norm_eps = 1e-5;
  o.pad = 1;
  o.first_position = 2;
}

constexpr auto kFields = [](auto& f, BertOptions& o) {
  f("vocab_size", o.vocab, 50265);
  f("num_hidden_layers", o.layers, 12);
  f("num_attention_heads", o.heads, 12);
  f("hidden_size", o.width, 768);
  f("intermediate_size", o.dim_ffn, 3072);
  f("max_position_embeddings", o.max_positions, 512);
  f("type_vocab_size", o.segments, 2);
  f.activation("hidden_act", o.activation, "gelu");
  f("layer_norm_eps", o.norm_eps, 1e-12);
  f("hidden_dropout_prob", o.dropout, 0.1);
  f("attention_probs_dropout_prob", o.dropout_attention, 0.1);
  f.only("position_embedding_type", "absolute");
  f.only("is_decoder", false);
  f.only("tie_word_embeddings", true);
  f.only("add_cross_attention", false);
  encoder_head(f, o, "Roberta");
  if (o.head == "words") f.only("hidden_act", "gelu");  // the head has it, whatever the layers have
  o.pooler = o.head == "labels";
  f.id("pad_token_id", o.pad);
  if constexpr (std::remove_reference_t<decltype(f)>::kReads)
    if (o.pad < 0) o.pad = 1;
  o.first_position = o.pad + 1;
};

}  // namespace

constexpr Layout layouts::kRoberta = {
    .model_type = "roberta",
    .model = "bert",
    .names = kNames,
    .prefix = "roberta.",
    .left_out = kLeftOut,
    .config = config_form<BertOptions, fix>(kFields),
    .complete = [](nlohmann::json& config, const std::string& dir, const WeightFiles&) {
      add_sentence_config(config, dir);
    }};

}  // namespace fovea::models
