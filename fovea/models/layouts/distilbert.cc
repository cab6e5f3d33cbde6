// DistilBERT (Sanh et al. 2019): BERT without segments and pooler; labels of a sentence come from a layer with ReLU.
#include "fovea/models/layouts/heads.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/sentence_config.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {"embedding.", "distilbert.embeddings.word_embeddings."},
    {"positions.", "distilbert.embeddings.position_embeddings."},
    {"norm.", "distilbert.embeddings.LayerNorm."},
    {"layer.#.self.qkv.", "distilbert.transformer.layer.#.attention.q_lin.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "distilbert.transformer.layer.#.attention.k_lin.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "distilbert.transformer.layer.#.attention.v_lin.", false, NameRule::kValue},
    {"layer.#.self.out.", "distilbert.transformer.layer.#.attention.out_lin."},
    {"layer.#.self_norm.", "distilbert.transformer.layer.#.sa_layer_norm."},
    {"layer.#.feed_forward.in.", "distilbert.transformer.layer.#.ffn.lin1."},
    {"layer.#.feed_forward.out.", "distilbert.transformer.layer.#.ffn.lin2."},
    {"layer.#.feed_forward_norm.", "distilbert.transformer.layer.#.output_layer_norm."},
    {"pooler.", "pre_classifier."},
    {"head.transform.", "vocab_transform."},
    {"head.norm.", "vocab_layer_norm."},
    {"head.bias", "vocab_projector.bias"},
    {"head.labels.", "classifier."},
    {"head.token_labels.", "classifier."},
};
constexpr std::string_view kLeftOut[] = {"embeddings.position_ids", "vocab_projector.weight"};

void fix(BertOptions& o) {
  o.segments = 0;
  o.pooler_relu = true;
  o.norm_eps = 1e-12;
}

constexpr auto kFields = [](auto& f, BertOptions& o) {
  f("vocab_size", o.vocab, 30522);
  f("n_layers", o.layers, 6);
  f("n_heads", o.heads, 12);
  f("dim", o.width, 768);
  f("hidden_dim", o.dim_ffn, 3072);
  f("max_position_embeddings", o.max_positions, 512);
  f.activation("activation", o.activation, "gelu");
  f("dropout", o.dropout, 0.1);
  f("attention_dropout", o.dropout_attention, 0.1);
  f.only("tie_word_embeddings", true);
  encoder_head(f, o, "DistilBert");
  o.pooler = o.head == "labels";
  f.id("pad_token_id", o.pad);
  o.pad = std::max(0, o.pad);
};

}  // namespace

constexpr Layout layouts::kDistilbert = {
    .model_type = "distilbert",
    .model = "bert",
    .names = kNames,
    .prefix = "distilbert.",
    .left_out = kLeftOut,
    .config = config_form<BertOptions, fix>(kFields),
    .complete = [](nlohmann::json& config, const std::string& dir, const WeightFiles&) {
      add_sentence_config(config, dir);
    }};

}  // namespace fovea::models
