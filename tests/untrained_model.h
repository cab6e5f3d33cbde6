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

inline nlohmann::json small_rnn_config() { return {{"model_type", "rnn"}, {"dim_emb", 8}, {"dim_rnn", 8}}; }

}  // namespace fovea::testing
