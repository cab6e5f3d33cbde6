#include "fovea/train/model_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fovea/models/bert_options.h"
#include "fovea/models/gpt_options.h"
#include "fovea/models/special_ids.h"

namespace fovea::train {
namespace {

// Every setting that is about the model, with _ for -.
nlohmann::json settings_of_model(const Settings& settings) {
  nlohmann::json config = {{"model_type", settings.model}};
  const nlohmann::json all = to_json(settings);
  for (const Setting& setting : settings_table()) {
    std::string key = setting.key;
    if (!is_of_model(setting) || key == "model") continue;
    if (!is_about(setting, settings.model)) continue;
    std::replace(key.begin(), key.end(), '-', '_');
    config[key] = all.at(setting.key);
  }
  return config;
}

// --picture-size, or what stands for 0.
int64_t picture_size_of(const Settings& settings, int64_t side) {
  constexpr int64_t kUsual = 64;
  return settings.picture_size > 0 ? settings.picture_size : side > 0 ? side : kUsual;
}

}  // namespace

nlohmann::json model_config(const Settings& settings, int64_t source_vocab, int64_t target_vocab,
                            const data::SpecialIds& source_ids, const data::SpecialIds& target_ids) {
  nlohmann::json config = settings_of_model(settings);
  config["source_vocab"] = source_vocab;
  config["target_vocab"] = target_vocab;
  models::add_special_ids(config, source_ids, target_ids, "");
  return config;
}

nlohmann::json language_config(const Settings& s, int64_t vocab, const data::SpecialIds& ids) {
  models::GptOptions o = models::gpt_defaults(s.layout);
  o.vocab = vocab;
  o.n_layer = s.n_layer;
  o.n_head = s.n_head;
  o.n_embd = s.n_embd;
  o.n_kv_head = s.n_kv_head;
  o.dim_ffn = s.n_inner;
  o.block_size = s.block_size;
  o.dropout = s.dropout;
  o.dec_mask = s.dec_mask;
  if (!o.rotary()) o.bias = s.bias;
  o.sos = ids.sos;
  if (ids.eos >= 0) o.ends = {ids.eos};
  return models::to_json(o);
}

nlohmann::json reading_config(const Settings& s, int64_t vocab, const data::SpecialIds& ids,
                              const std::vector<std::string>& labels) {
  models::BertOptions o;
  o.vocab = vocab;
  o.layers = s.enc_depth;
  o.heads = s.heads;
  o.width = s.dim_model;
  o.dim_ffn = s.dim_ffn;
  o.max_positions = s.max_positions;
  o.activation = s.activation;
  o.dropout = s.dropout;
  o.dropout_attention = s.dropout_attention;
  o.enc_mask = s.enc_mask;
  o.head = s.task == "labels" ? "labels" : s.task == "token-labels" ? "token_labels" : "words";
  if (o.head != "words") o.labels = labels;
  o.pooler = o.head == "labels";
  o.pad = std::max(0, ids.pad);
  return models::to_json(o);
}

nlohmann::json labelling_config(const Settings& settings, int64_t side, int64_t channels,
                                const std::vector<std::string>& labels) {
  nlohmann::json config = settings_of_model(settings);
  config["picture_size"] = picture_size_of(settings, side);
  config["channels"] = channels;
  config["labels"] = labels;
  return config;
}

nlohmann::json captioning_config(const Settings& settings, int64_t side, int64_t channels, int64_t vocab,
                                 const data::SpecialIds& ids) {
  nlohmann::json config = settings_of_model(settings);
  config["picture_size"] = picture_size_of(settings, side);
  config["channels"] = channels;
  config["target_vocab"] = vocab;
  models::add_special_ids(config, ids, ids, "");
  return config;
}

}  // namespace fovea::train
