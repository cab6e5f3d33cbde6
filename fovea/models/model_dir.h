// A model as a directory:
//   config.json         {"model_type": "rnn", ..., "tokenizer": {"source": "word", "target": "word"}}
//   model.safetensors   the parameters, and the buffers beside them; or several files and model.safetensors.index.json
//   source.vocab, target.vocab   tokenizers; one file joint.vocab where both sides share one
// With {"quantization": "int8"} in config.json, matrices are kept in 8 bits, and run so.
// Directories that Hugging Face wrote are read, too: their tokenizers are in files of other names (data/hf_tokenizer.h), and
// their weights may be F16 or BF16.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/encoder.h"
#include "fovea/models/language_model.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/seq2seq.h"
#include "fovea/models/weight_files.h"

namespace fovea::models {

template <typename Kind>
struct ModelOf {
  std::shared_ptr<Kind> net;
  std::shared_ptr<const data::Tokenizer> source, target;  // may be one and the same
  Written written = Written::kWhole;                      // as its directory has the weights
};
using Model = ModelOf<Seq2Seq>;
using TextModel = ModelOf<LanguageModel>;
using ReadingModel = ModelOf<Encoder>;
using AnyModel = ModelOf<Net>;

// A directory, opened: what it is, and where its weights are. None of them are read yet.
struct ModelFiles {
  std::string dir;                 // where config.json is
  nlohmann::json config;           // with what other files add to it, and without "quantization"
  const Layout* layout = nullptr;  // null: names are our own
  bool quantized = false;          // matrices are in 8 bits
  std::shared_ptr<const WeightFiles> weights;
};
// `dir` holds the files above, or has best/ or last/ (in this order) that hold them. What a checkpoint's manifest lists is checked.
ModelFiles open_model(const std::string& dir);
// Its tokenizers, {source, target}, checked against its vocabularies and the special tokens of its config.
data::TokenizerPair load_tokenizers(const ModelFiles& files);
// Whether the config does not say which tokens are special, so that only the tokenizers know; and their ids added to the config.
bool lacks_special_ids(const ModelFiles& files);
void add_special_ids(ModelFiles& files, const data::TokenizerPair& tokenizers);

// The files of a directory, as (name, bytes), weights not included.
std::vector<std::pair<std::string, std::string>> describe(const AnyModel& model);
template <typename Kind>
std::vector<std::pair<std::string, std::string>> describe(const ModelOf<Kind>& model) {
  return describe(AnyModel{model.net, model.source, model.target, model.written});
}

// Every tensor must be there with its shape, and no other.
AnyModel load_any_model(const std::string& dir);
// The same; throws for a model of another kind, and says which verb is for it.
Model load_model(const std::string& dir);
TextModel load_language_model(const std::string& dir);
ReadingModel load_encoder(const std::string& dir);

// The net alone, where nobody asks for text.
std::shared_ptr<Net> load_net(const std::string& dir);
// The tokenizers of such a directory, without the weights: {source, target}.
data::TokenizerPair load_tokenizers(const std::string& dir);

// Where load_model() would read from.
std::string find_model(const std::string& dir);

// Parameters and buffers as a file has them. Those that a file has otherwise than the net are copies.
std::vector<NamedTensor> weights_of(Net& net, Written as = Written::kWhole);
// The same with matrices in 8 bits: NAME is U8 [out, in], 128 + q, and NAME.scale F32 [out]; the weight is q * scale.
std::vector<NamedTensor> quantized_weights_of(Net& net);
// Copies them in.
void load_weights(Net& net, const WeightFiles& files);

}  // namespace fovea::models
