// The shape of a recurrent encoder-decoder, and its form in config.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fovea/models/special_ids.h"

namespace fovea::models {

struct RnnOptions {
  int64_t source_vocab = 0, target_vocab = 0;
  int64_t dim_emb = 256, dim_rnn = 256;
  std::string cell = "gru";
  int64_t enc_depth = 1, dec_depth = 1;
  bool bidirectional = true;
  std::string attention = "bahdanau";  // or "luong", "bottleneck"
  bool input_feeding = false;          // luong: the last s~ is part of the next input
  std::string score = "additive";      // one of nn/scores
  int64_t heads = 1;
  std::string cross_mask = "none";  // of nn/masks
  int64_t max_keys = 128;           // location: the longest source it can point into
  std::string weigh = "soft";       // or "hard"
  std::string estimator = "reinforce";
  double temperature = 1;        // of the gumbel estimator
  double entropy_weight = 0.01;  // of the reinforce estimator
  // Hard attention, while it learns: the share of batches that are read softly instead, as half of them are in Xu et al. 2015. They
  // teach the decoder what a context is worth before the draws do.
  double soft_share = 0.5;
  // Of captions: weight of sum_i (1 - sum_t a_ti)^2, by which every place is looked at about as much (Xu et al. 2015). 0: none.
  double doubly_stochastic = 0;
  // Width of tanh(W [h; c]) between the state and the logits. 0: logits = W [h; c] + b, or for luong a width of dim_rnn. Tied
  // embeddings make it dim_emb.
  int64_t dim_readout = 0;
  bool tied_embeddings = false;      // the output layer shares the target's embeddings
  bool tied_embeddings_all = false;  // and so does the source
  data::SpecialIds source_ids, ids;  // special tokens of the source's vocabulary and of the target's
  double dropout = 0;  // of embeddings, of the encoder's states, between layers, and before the logits
  double dropout_src = 0, dropout_trg = 0;  // of whole words: of the source, and of the target that is read

  bool looks() const { return attention != "bottleneck"; }
  bool tied() const { return tied_embeddings || tied_embeddings_all; }
  int64_t readout() const {
    return tied() ? dim_emb : dim_readout ? dim_readout : attention == "luong" ? dim_rnn : 0;
  }

  // The most tokens of a source, <eos> not counted; 0: any number.
  int64_t longest() const { return looks() && score == "location" ? max_keys - 1 : 0; }

  // Weights of words, cells, scores and the output layer; the model has somewhat more.
  double least_weights() const;

  // Throws for what cannot be, and for what no memory holds.
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    f("source_vocab", o.source_vocab);
    f("target_vocab", o.target_vocab);
    f("dim_emb", o.dim_emb);
    f("dim_rnn", o.dim_rnn);
    f("cell", o.cell);
    f("enc_depth", o.enc_depth);
    f("dec_depth", o.dec_depth);
    f("bidirectional", o.bidirectional);
    f("attention", o.attention);
    f("input_feeding", o.input_feeding);
    f("score", o.score);
    f("heads", o.heads);
    f("cross_mask", o.cross_mask);
    f("max_keys", o.max_keys);
    f("weigh", o.weigh);
    f("estimator", o.estimator);
    f("temperature", o.temperature);
    f("entropy_weight", o.entropy_weight);
    f("soft_share", o.soft_share);
    f("dim_readout", o.dim_readout);
    f("tied_embeddings", o.tied_embeddings);
    f("tied_embeddings_all", o.tied_embeddings_all);
    f("dropout", o.dropout);
    f("dropout_src", o.dropout_src);
    f("dropout_trg", o.dropout_trg);
    each_special_id(o, f);
  }
};

nlohmann::json to_json(const RnnOptions& options);
// Keys that are missing keep their defaults; unknown ones throw. "model_type" and "tokenizer" are not looked at.
RnnOptions rnn_options_from(const nlohmann::json& config);

}  // namespace fovea::models
