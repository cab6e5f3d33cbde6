#include "fovea/models/bert_options.h"

#include <limits>

#include "fovea/base/grouped.h"
#include "fovea/models/hf_config.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {

constexpr const char* kWho = "bert";

struct Architecture {
  const char *head, *name;
};
constexpr Architecture kArchitectures[] = {{"none", "BertModel"},
                                           {"words", "BertForMaskedLM"},
                                           {"labels", "BertForSequenceClassification"},
                                           {"token_labels", "BertForTokenClassification"}};

std::string head_of(const HfConfig& config) {
  const auto& json = config.json();
  if (!json.contains("architectures") || !json["architectures"].is_array() || json["architectures"].empty() ||
      !json["architectures"][0].is_string())
    return "none";
  const std::string name = json["architectures"][0];
  for (const Architecture& a : kArchitectures)
    if (name == a.name) return a.head;
  if (name == "BertForPreTraining") return "words";
  fail(kWho, "config: architecture {}: expected one of {}, {}, {}, {}", quote(name), kArchitectures[0].name,
       kArchitectures[1].name, kArchitectures[2].name, kArchitectures[3].name);
}

// {"id2label": {"0": "negative", ...}}; without it, LABEL_0 and LABEL_1 as Hugging Face has them.
std::vector<std::string> labels_of(const HfConfig& config) {
  std::vector<std::string> labels;
  if (!config.has("id2label")) {
    const int64_t count = config.number("num_labels", 2);
    check(count >= 1 && count <= 1'000'000, kWho, "config: num_labels is {}: expected 1 or more", count);
    for (int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
    return labels;
  }
  const auto& map = config.json()["id2label"];
  check(map.is_object() && !map.empty(), kWho, "config: id2label is no object with labels");
  for (size_t i = 0; i < map.size(); ++i) {
    const auto found = map.find(std::to_string(i));
    if (found == map.end() || !found->is_string()) fail(kWho, "config: id2label has no name for label {}", i);
    labels.push_back(*found);
  }
  return labels;
}

}  // namespace

double BertOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double E = real(width);
  return E * (real(vocab) + real(max_positions) + static_cast<double>(labels.size())) +
         real(layers) * (4 * E * E + 2 * E * real(dim_ffn));
}

void BertOptions::check() const {
  using fovea::check;
  const auto within = [](const char* what, int64_t size, int64_t most) {
    check(size >= 1 && size <= most, kWho, "{} {}: expected 1 to {}", what, grouped(size), grouped(most));
  };
  constexpr int64_t kMost = 1 << 20;
  within("a vocabulary of", vocab, std::numeric_limits<int32_t>::max());
  within("layers", layers, 1000);
  within("heads", heads, kMost);
  within("width", width, kMost);
  within("dim_ffn", dim_ffn, 4 * kMost);
  within("max_positions", max_positions, int64_t{1} << 24);
  within("segments", segments, 1000);
  check(width % heads == 0, kWho, "width {} does not divide into {} heads", width, heads);
  nn::activation_named(activation);
  expect_one_of(kWho, "head", head, {"none", "words", "labels", "token_labels"});
  expect_one_of(kWho, "pooling", pooling, {"mean", "cls"});
  if (!problem_type.empty())
    expect_one_of(kWho, "problem_type", problem_type,
                  {"single_label_classification", "multi_label_classification", "regression"});
  check(max_seq_length >= 0, kWho, "max_seq_length {}: expected 1 or more", max_seq_length);
  check((head != "labels" && head != "token_labels") || !labels.empty(), kWho,
        "a head for labels without labels");
  for (const double rate : {dropout, dropout_attention})
    check(rate >= 0 && rate < 1, kWho, "a dropout of {}: expected 0 to below 1", rate);
  constexpr double kMostWeights = 2e9;  // a mistyped number is refused before it takes all memory
  check(least_weights() <= kMostWeights, kWho,
        "about {:.3g} weights: expected {:.0g} at most; make it narrower or less deep", least_weights(),
        kMostWeights);
}

nlohmann::json to_json(const BertOptions& o) {
  const char* architecture = "";
  for (const Architecture& a : kArchitectures)
    if (o.head == a.head) architecture = a.name;
  nlohmann::json json = {{"model_type", "bert"},
                         {"architectures", {architecture}},
                         {"vocab_size", o.vocab},
                         {"num_hidden_layers", o.layers},
                         {"num_attention_heads", o.heads},
                         {"hidden_size", o.width},
                         {"intermediate_size", o.dim_ffn},
                         {"max_position_embeddings", o.max_positions},
                         {"type_vocab_size", o.segments},
                         {"hidden_act", activation_to_hf(o.activation)},
                         {"layer_norm_eps", o.norm_eps},
                         {"hidden_dropout_prob", o.dropout},
                         {"attention_probs_dropout_prob", o.dropout_attention},
                         {"pad_token_id", o.pad},
                         {"tie_word_embeddings", true},
                         {"dtype", "float32"},
                         {"pooling", o.pooling},
                         {"normalize", o.normalize}};
  if (o.max_seq_length > 0) json["max_seq_length"] = o.max_seq_length;
  if (!o.problem_type.empty()) json["problem_type"] = o.problem_type;
  for (size_t i = 0; i < o.labels.size(); ++i) {
    json["id2label"][std::to_string(i)] = o.labels[i];
    json["label2id"][o.labels[i]] = i;
  }
  return json;
}

BertOptions bert_options_from(const nlohmann::json& json) {
  const HfConfig config(json, kWho);
  BertOptions o;
  o.vocab = config.number("vocab_size", 30522);
  o.layers = config.number("num_hidden_layers", 12);
  o.heads = config.number("num_attention_heads", 12);
  o.width = config.number("hidden_size", 768);
  o.dim_ffn = config.number("intermediate_size", 3072);
  o.max_positions = config.number("max_position_embeddings", 512);
  o.segments = config.number("type_vocab_size", 2);
  o.activation = activation_from_hf(config.text("hidden_act", "gelu"));
  o.norm_eps = config.real("layer_norm_eps", 1e-12);
  o.dropout = config.real("hidden_dropout_prob", 0.1);
  o.dropout_attention = config.real("attention_probs_dropout_prob", 0.1);
  o.head = head_of(config);
  if (o.head == "labels" || o.head == "token_labels") o.labels = labels_of(config);
  o.pooler = o.head == "labels" || (o.head == "none" && config.flag("has_pooler", true));
  o.pooling = config.text("pooling", "mean");
  o.normalize = config.flag("normalize", true);
  o.problem_type = config.text("problem_type", "");
  o.max_seq_length = config.number("max_seq_length", 0);
  o.pad = std::max(0, config.id("pad_token_id"));
  config.only("position_embedding_type", "absolute");
  config.only("is_decoder", false);
  config.only("tie_word_embeddings", true);
  config.only("add_cross_attention", false);
  o.check();
  return o;
}

}  // namespace fovea::models
