// The shape of a decoder-only Transformer, and its form in config.json: one of the layouts of Hugging Face.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::models {

struct GptOptions {
  std::string layout = "gpt2";        // of config.json and the names of tensors: models/layouts
  std::string norm = "layer";         // or "rms"
  std::string positions = "learned";  // or "rotary"
  int64_t vocab = 0;
  int64_t n_layer = 12, n_head = 12, n_embd = 768;
  int64_t n_kv_head = 0;  // heads of keys and values; 0: as n_head
  int64_t dim_ffn = 0;    // hidden units; 0: 4 * n_embd, or 8/3 * n_embd where gated
  int64_t block_size = 1024;
  std::string activation = "gelu_tanh";
  bool gated = false;             // feed-forward networks have a gate
  bool bias = true;               // in products and norms
  bool qkv_bias = false;          // in the projections to queries, keys and values, even without `bias`
  bool tied = true;               // the output layer is the table of embeddings
  double dropout = 0;             // of embeddings, of weights, of what each part adds
  std::string dec_mask = "none";  // of nn/masks, beside causal
  double norm_eps = 1e-5, rope_base = 10000;
  int32_t sos = -1;           // what a text begins with; -1: nothing
  std::vector<int32_t> ends;  // what it may end with

  bool rotary() const { return positions == "rotary"; }
  int64_t hidden() const;
  double least_weights() const;
  // Throws for what cannot be, and for what no memory holds.
  void check() const;
};

// What all models of a layout have in common: "gpt2" or "llama".
GptOptions gpt_defaults(const std::string& layout);

nlohmann::json to_json(const GptOptions& options);
// Of a config.json whose model_type is such a layout. Throws where it asks for what this model cannot do.
GptOptions gpt_options_from(const nlohmann::json& config);

}  // namespace fovea::models
