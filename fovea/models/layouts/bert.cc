// BERT (Devlin et al. 2019). What stands before a head has names that begin with "bert.".
#include "fovea/models/layouts/heads.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/sentence_config.h"
#include "fovea/models/weight_files.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"embedding.", "bert.embeddings.word_embeddings."},
    {"positions.", "bert.embeddings.position_embeddings."},
    {"segments.", "bert.embeddings.token_type_embeddings."},
    {"norm.", "bert.embeddings.LayerNorm."},
    {"layer.#.self.qkv.", "bert.encoder.layer.#.attention.self.query.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "bert.encoder.layer.#.attention.self.key.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "bert.encoder.layer.#.attention.self.value.", false, NameRule::kValue},
    {"layer.#.self.out.", "bert.encoder.layer.#.attention.output.dense."},
    {"layer.#.self_norm.", "bert.encoder.layer.#.attention.output.LayerNorm."},
    {"layer.#.feed_forward.in.", "bert.encoder.layer.#.intermediate.dense."},
    {"layer.#.feed_forward.out.", "bert.encoder.layer.#.output.dense."},
    {"layer.#.feed_forward_norm.", "bert.encoder.layer.#.output.LayerNorm."},
    {"pooler.", "bert.pooler.dense."},
    {"head.transform.", "cls.predictions.transform.dense."},
    {"head.norm.", "cls.predictions.transform.LayerNorm."},
    {"head.bias", "cls.predictions.bias"},
    {"head.labels.", "classifier."},
    {"head.token_labels.", "classifier."},
};
constexpr std::string_view kLeftOut[] = {"embeddings.position_ids",     "pooler.dense.weight",
                                         "pooler.dense.bias",           "cls.seq_relationship.weight",
                                         "cls.seq_relationship.bias",   "cls.predictions.decoder.weight",
                                         "cls.predictions.decoder.bias"};

void fix(BertOptions&) {}

constexpr auto kFields = [](auto& f, BertOptions& o) {
  f("vocab_size", o.vocab, 30522);
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
  encoder_head(f, o, "Bert");
  if constexpr (std::remove_reference_t<decltype(f)>::kReads)
    o.pooler = o.head == "labels" || (o.head == "none" && f.config().flag("has_pooler", true));
  f.id("pad_token_id", o.pad);
  o.pad = std::max(0, o.pad);
};

void complete(nlohmann::json& config, const std::string& dir, const WeightFiles& files) {
  add_sentence_config(config, dir);
  config["has_pooler"] = files.contains("pooler.dense.weight") || files.contains("bert.pooler.dense.weight");
}

}  // namespace

constexpr Layout layouts::kBert = {.model_type = "bert",
                                   .model = "bert",
                                   .names = kNames,
                                   .prefix = "bert.",
                                   .left_out = kLeftOut,
                                   .config = config_form<BertOptions, fix>(kFields),
                                   .complete = complete};

}  // namespace fovea::models
