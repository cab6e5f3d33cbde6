// Directories with models that have learned nothing: enough to look at.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"

namespace fovea::testing {

inline std::shared_ptr<const data::Tokenizer> tokenizer_of(const std::vector<std::string>& lines,
                                                           const std::string& kind) {
  data::TokenizerOptions options;
  options.kind = kind;
  options.vocab_size = 0;
  return data::train_tokenizer(lines, options);
}

inline void write_model(const std::string& dir, models::Model model) {
  std::filesystem::create_directories(dir);
  for (const auto& [name, bytes] : models::describe(model)) write_atomically(dir + "/" + name, bytes);
  write_safetensors(dir + "/model.safetensors", models::weights_of(*model.net));
}

// Writes a model that translates. `config` lacks nothing but the sizes of the vocabularies.
inline void write_untrained(const std::string& dir, nlohmann::json config,
                            const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                            const std::string& tokenizer = "word") {
  models::Model model{nullptr, tokenizer_of(sources, tokenizer), tokenizer_of(targets, tokenizer)};
  config["source_vocab"] = model.source->size();
  config["target_vocab"] = model.target->size();
  model.net = models::make_net(config, 7);
  write_model(dir, std::move(model));
}

// Writes a model that says what it sees in pictures of 16 x 16, with 4 x 4 places. `changes` are made to its config. Its weights are larger
// than first weights are, so that words differ, and it ends at the limit of length alone.
inline void write_untrained_captioner(const std::string& dir, const nlohmann::json& changes = {},
                                      const std::string& tokenizer = "word") {
  models::Model model{nullptr, tokenizer_of({"a small red circle", "a large blue square"}, tokenizer),
                      nullptr};
  model.target = model.source;
  nlohmann::json config = {{"model_type", "captioner"},
                           {"picture_size", 16},
                           {"conv_channels", 4},
                           {"conv_depth", 1},
                           {"dim_emb", 8},
                           {"dim_rnn", 8},
                           {"target_vocab", model.target->size()}};
  if (!changes.is_null()) config.update(changes);
  model.net = models::make_net(config, 7);
  for (nn::Parameter* parameter : model.net->parameters()) {
    for (float& w : parameter->value.span<float>()) w *= 4;
    if (parameter->name == "output.bias")
      parameter->value.data<float>()[model.target->special_ids().eos] = -100;
  }
  write_model(dir, std::move(model));
}
// Writes a Transformer over 4 x 4 patches, with 2 layers and 2 heads; or another model that labels pictures of 16 x 16.
inline void write_untrained_labeller(const std::string& dir, const std::string& kind = "vit") {
  nlohmann::json config = {{"model_type", kind}, {"picture_size", 16}, {"labels", {"three", "seven"}}};
  if (kind == "vit") config.update({{"dim_model", 16}, {"dim_ffn", 32}, {"heads", 2}, {"enc_depth", 2}});
  write_model(dir, {models::make_net(config, 7), nullptr, nullptr});
}

inline nlohmann::json small_rnn_config() { return {{"model_type", "rnn"}, {"dim_emb", 8}, {"dim_rnn", 8}}; }

}  // namespace fovea::testing
