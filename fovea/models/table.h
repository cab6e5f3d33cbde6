// Every model by name. To add one: models/NAME.{h,cc} and a row in table.cc.
#pragma once

#include <span>
#include <string_view>

#include "fovea/models/seq2seq.h"

namespace fovea::models {

// What a config asks for, known without making the model.
struct ModelSize {
  int64_t source_vocab = 0, target_vocab = 0;
  int64_t least_weights = 0;  // it has so many, or somewhat more
  int64_t longest = 0;  // tokens of a sequence that it can read, <eos> or <sos> not counted; 0: any number
};

struct ModelKind {
  const char* name;  // "rnn": --model of fovea train
  const char* what;
  bool own_layout;  // its name is a model_type of its own, beside those of models/layouts
  // A new model with first weights from `seed`. Throws for a config that is not complete, names unknown keys,
  // or asks for what cannot be.
  std::unique_ptr<Net> (*make)(const nlohmann::json& config, uint64_t seed);
  ModelSize (*size)(const nlohmann::json& config);  // throws as make does
};
std::span<const ModelKind> model_table();
// The row that config["model_type"] belongs to. Throws where there is none, and names the nearest.
const ModelKind& model_kind_of(const nlohmann::json& config);

// The model that config["model_type"] names.
std::unique_ptr<Net> make_net(const nlohmann::json& config, uint64_t seed);
// The same, for a model that turns one sequence into another; throws for others.
std::unique_ptr<Seq2Seq> make_model(const nlohmann::json& config, uint64_t seed);
ModelSize size_of_model(const nlohmann::json& config);

}  // namespace fovea::models
