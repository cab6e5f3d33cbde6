// A model as a directory:
//   config.json         {"model_type": "rnn", ..., "tokenizer": {"source": "word", "target": "word"}}
//   model.safetensors   the parameters, and the buffers beside them; or several files and model.safetensors.index.json
//   source.vocab, target.vocab   tokenizers; one file joint.vocab where both sides share one; none where the model has no text
// With {"quantization": "int8"} in config.json, matrices are kept in 8 bits, and run so.
// Directories that Hugging Face wrote are read, too: their tokenizers are in files of other names (data/hf_tokenizer.h), and
// their weights may be F16 or BF16.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/net.h"
#include "fovea/models/weight_files.h"

namespace fovea::models {

// A net with the tokenizers of what it reads and writes.
struct Model {
  std::shared_ptr<Net> net;
  std::shared_ptr<const data::Tokenizer> source,
      target;                               // may be one and the same; null where it has no text
  FileDType file_dtype = FileDType::kAsIs;  // of the weights in its directory
  bool quantized = false;                   // its directory has matrices in 8 bits
};

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
// Numbers that belong to the model: neither scales of matrices in 8 bits nor what is left unread.
int64_t count_parameters(const ModelFiles& files);
// Its tokenizers, {source, target}, checked against its vocabularies and the special tokens of its config. A model without text has none.
data::TokenizerPair load_tokenizers(const ModelFiles& files);
// Whether the config does not say which tokens are special, so that only the tokenizers know; and their ids added to the config.
bool lacks_special_ids(const ModelFiles& files);
void add_special_ids(ModelFiles& files, const data::TokenizerPair& tokenizers);

// The files of a directory, as (name, bytes), weights not included.
std::vector<std::pair<std::string, std::string>> describe(const Model& model);

// Every tensor must be there with its shape, and no other.
Model load_model(const std::string& dir);
// The net alone, where nobody asks for text.
std::shared_ptr<Net> load_net(const std::string& dir);
// The tokenizers of such a directory, without the weights: {source, target}.
data::TokenizerPair load_tokenizers(const std::string& dir);

// Where load_model() would read from.
std::string find_model(const std::string& dir);

// Parameters and buffers as a file has them. Those that a file has otherwise than the net are copies.
std::vector<NamedTensor> weights_of(Net& net, FileDType as = FileDType::kAsIs);
// The same with matrices in 8 bits: NAME is U8 [out, in], 128 + q, and NAME.scale F32 [out]; the weight is q * scale.
std::vector<NamedTensor> quantized_weights_of(Net& net);
// Copies them in.
void load_weights(Net& net, const WeightFiles& files);

}  // namespace fovea::models
