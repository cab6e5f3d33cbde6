// The layouts of Hugging Face: what config.json says, and what tensors are called. A layout is a file here, NAME.cc, and a row in
// table.cc. Each belongs to a model of ours, which computes what it means.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "fovea/models/bert_options.h"
#include "fovea/models/clip_options.h"
#include "fovea/models/gpt_options.h"
#include "fovea/models/layouts/fields.h"
#include "fovea/models/layouts/names.h"
#include "fovea/models/transformer_options.h"
#include "fovea/models/vit_options.h"

namespace fovea::models {

// config.json as options of a model. Keys that change what is computed are read, or refused where they ask for something else.
template <typename Options>
struct ConfigForm {
  void (*fix)(Options& options);  // what every model of this layout has in common
  void (*read)(FieldReader& fields, Options& options);
  void (*write)(FieldWriter& fields, Options& options);
};
// The two directions of one function `fields(f, options)`, so that they agree.
template <typename Options, auto kFix, typename Fields>
constexpr ConfigForm<Options> config_form(Fields) {
  return {kFix, [](FieldReader& f, Options& o) { Fields()(f, o); },
          [](FieldWriter& f, Options& o) { Fields()(f, o); }};
}

struct Layout {
  std::string_view model_type;      // of config.json: "gpt2"
  std::string_view model;           // its row in the table of models: "gpt"
  std::span<const NameRule> names;  // of tensors
  std::string_view prefix;          // names may lack it: a body was saved without its head, or with it
  std::span<const std::string_view> left_out;  // ends of names of tensors that need not be read
  std::variant<ConfigForm<TransformerOptions>, ConfigForm<GptOptions>, ConfigForm<BertOptions>,
               ConfigForm<VitOptions>, ConfigForm<ClipOptions>>
      config;
  // Adds to config.json what other files of the directory say. May be null.
  void (*complete)(nlohmann::json& config, const std::string& dir, const WeightFiles& files) = nullptr;
  bool sentencepiece = false;  // the tokenizer is source.spm and target.spm instead of tokenizer.json
  // A model without biases has them in its files, as zeros.
  bool zero_biases = false;
};

std::span<const Layout* const> layout_table();
// The layout of a model_type, or of one with a mask beside ("fovea-gpt2"); null where there is none: config and names are our own.
const Layout* find_layout(std::string_view model_type);
// The layouts of a model of ours.
std::vector<std::string> layouts_of(std::string_view model);

namespace layouts {
extern const Layout kMarian, kGpt2, kLlama, kQwen2, kBert, kDistilbert, kRoberta, kVit, kDeit, kClip;
}

inline int64_t vocab_of(const TransformerOptions& options) { return options.target_vocab; }
inline int64_t vocab_of(const GptOptions& options) { return options.vocab; }
inline int64_t vocab_of(const BertOptions& options) { return options.vocab; }
inline int64_t vocab_of(const ClipOptions& options) { return options.text.vocab; }
inline int64_t vocab_of(const VitOptions&) { return 0; }  // it has no text

template <typename Options>
void fix_options(const Layout& layout, Options& options) {
  options.layout = layout.model_type;
  std::get<ConfigForm<Options>>(layout.config).fix(options);
}
template <typename Options>
Options options_of(const Layout& layout, const HfConfig& config) {
  Options options;
  fix_options(layout, options);
  FieldReader fields(config);
  std::get<ConfigForm<Options>>(layout.config).read(fields, options);
  if (vocab_of(options) > 0) config.check_ids(vocab_of(options));
  return options;
}
// Of a config.json whose layout belongs to the model `who`; not checked yet.
template <typename Options>
Options options_from_layout(const nlohmann::json& json, std::string_view who) {
  const HfConfig config(json, who);
  const std::string type = config.text("model_type", "");
  const Layout* layout = find_layout(type);
  check(layout && layout->model == who, who, "config: model_type is {}: expected one of {}", quote(type),
        fmt::join(layouts_of(who), ", "));
  return options_of<Options>(*layout, config);
}
template <typename Options>
nlohmann::json config_of(const Layout& layout, Options options) {
  FieldWriter fields;
  fields.write("model_type", layout.model_type);
  fields.write("dtype", "float32");
  std::get<ConfigForm<Options>>(layout.config).write(fields, options);
  return fields.json();
}

}  // namespace fovea::models
