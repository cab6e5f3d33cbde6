// Every model by name, with everything by which other rooms tell models apart. To add one: models/NAME.{h,cc} and a row in table.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/models/net.h"

namespace fovea::models {

// What a config asks for, known without making the model.
struct ModelSize {
  int64_t source_vocab = 0, target_vocab = 0;  // both 0: it neither reads nor writes text
  int64_t least_weights = 0;                   // it has so many, or somewhat more
  int64_t longest = 0;  // tokens of a sequence that it can read, <eos> or <sos> not counted; 0: any number
};

// What a model learns from. Training has a task for each.
enum class Learns : uint8_t {
  kPairs,  // pairs of lines, a source and a target
  kText,   // one long text, which it learns to continue
  kLines,  // lines with masked words, or with labels
  kLabelledPictures,
  kCaptionedPictures,
  kNothing,  // it is made elsewhere
};
constexpr bool looks_at_pictures(Learns learns) {
  return learns == Learns::kLabelledPictures || learns == Learns::kCaptionedPictures;
}

// A model's own default of a setting of training.
struct Preset {
  const char *key, *value;
};

struct ModelKind {
  const char* name;  // "rnn": --model of fovea train
  const char* what;
  bool own_layout;  // its name is a model_type of its own, beside those of models/layouts
  // A new model with first weights from `seed`. Throws for a config that is not complete, names unknown keys,
  // or asks for what cannot be.
  std::unique_ptr<Net> (*make)(const nlohmann::json& config, uint64_t seed);
  ModelSize (*size)(const nlohmann::json& config);  // throws as make does

  Learns learns;
  std::span<const std::string_view> settings;  // the groups of settings that it looks at
  std::span<const Preset> presets;
  const char*
      tokenizer;  // the kind that is learned from files where none is named; empty where there is no text
  bool decay_vectors;  // weight decay is about biases and norms, too
};
std::span<const ModelKind> model_table();
// The row that config["model_type"] belongs to. Throws where there is none, and names those that there are.
const ModelKind& model_kind_of(const nlohmann::json& config);
// Every model_type that a config may have.
std::vector<std::string> model_types();
// Throws for an unknown name, and names the nearest.
const ModelKind& model_named(std::string_view name);
// Whether a model looks at settings of this group.
bool has_settings(const ModelKind& model, std::string_view group);

// The model that config["model_type"] names.
std::unique_ptr<Net> make_net(const nlohmann::json& config, uint64_t seed);
ModelSize size_of_model(const nlohmann::json& config);

}  // namespace fovea::models
