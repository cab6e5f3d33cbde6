// The shape of an encoder-only Transformer (Devlin et al. 2019), and its form in config.json: one of the layouts of Hugging Face.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fovea::models {

struct BertOptions {
  std::string layout = "bert";  // of config.json and the names of tensors: models/layouts
  int64_t vocab = 0;
  int64_t layers = 12, heads = 12, width = 768, dim_ffn = 3072;
  int64_t max_positions = 512;
  int64_t first_position = 0;  // of a text: those before it stand for padding
  int64_t segments = 2;        // 0: words have none
  std::string activation = "gelu";
  std::string enc_mask = "none";  // of nn/masks
  double norm_eps = 1e-12, dropout = 0.1, dropout_attention = 0.1;
  // What stands on top: "none", "words" (masked words), "labels" (of a sentence, or of two), "token_labels".
  std::string head = "none";
  std::vector<std::string> labels;  // names, for the heads that have them
  // What a head for sentences says of its labels, in Hugging Face's words: "single_label_classification", one of them;
  // "multi_label_classification", each for itself; "regression", a number for each. Empty: one of several, or the only one for itself.
  std::string problem_type;
  bool pooler = false;       // f(W [CLS] + b) before the labels of a sentence; may be there unused
  bool pooler_relu = false;  // f: ReLU instead of tanh
  // Sentence vectors: the "mean" over words, or the state of "cls"; divided by its length.
  std::string pooling = "mean";
  bool normalize = true;
  int64_t max_seq_length =
      0;  // texts are read so far, even where there are more positions; 0: as far as those go
  int32_t pad = 0;

  int64_t longest() const {
    const int64_t most = max_positions - first_position;
    return max_seq_length > 0 ? std::min(max_seq_length, most) : most;
  }

  double least_weights() const;
  // Throws for what cannot be, and for what no memory holds.
  void check() const;
};

nlohmann::json to_json(const BertOptions& options);
BertOptions bert_options_from(const nlohmann::json& config);

}  // namespace fovea::models
