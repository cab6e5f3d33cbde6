// A model as a directory:
//   config.json         {"model_type": "rnn", ..., "tokenizer": {"source": "word", "target": "word"}}
//   model.safetensors   the parameters, and the buffers beside them
//   source.vocab, target.vocab   tokenizers; one file joint.vocab where both sides share one
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/seq2seq.h"

namespace fovea::models {

struct Model {
  std::shared_ptr<Seq2Seq> net;
  std::shared_ptr<const data::Tokenizer> source, target;  // may be one and the same
};

// The files of a directory, as (name, bytes), weights not included.
std::vector<std::pair<std::string, std::string>> describe(const Model& model);

// `dir` holds the files above, or has best/ or last/ (in this order) that hold them.
// Every tensor must be there with its shape, and no other.
Model load_model(const std::string& dir);
// The tokenizers of such a directory, without the weights: {source, target}.
data::TokenizerPair load_tokenizers(const std::string& dir);
// Where load_model() would read from.
std::string find_model(const std::string& dir);

// Parameters and buffers, by name.
std::vector<NamedTensor> weights_of(Seq2Seq& net);
// Copies them in; `source` stands in messages.
void load_weights(Seq2Seq& net, const Safetensors& file, std::string_view source);

}  // namespace fovea::models
