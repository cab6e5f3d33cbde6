// The shape of a Transformer that turns one sequence into another, and its form in config.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fovea/models/special_ids.h"

namespace fovea::models {

struct TransformerOptions {
  std::string layout =
      "transformer";  // of config.json and the names of tensors: our own, or one of models/layouts
  int64_t source_vocab = 0, target_vocab = 0;
  int64_t dim_model = 512, heads = 8, dim_ffn = 2048;
  int64_t dec_heads = 0, dec_dim_ffn = 0;  // of the decoder, where they are not those above; 0: they are
  int64_t enc_depth = 6, dec_depth = 6;
  std::string norm = "pre";              // or "post": where the norm stands, before a part or after it
  std::string positions = "sinusoidal";  // or "learned", "rotary"
  int64_t max_positions = 1024;          // learned: the longest sequence there is a place for
  bool bounded = false;  // no sequence is longer than max_positions, whatever the positions are
  // What the decoder reads before its first word: "zero", nothing but a position, or "learned", <sos>. Rotary positions are not
  // read, so that there it is always <sos>.
  std::string start = "zero";
  std::string activation = "relu";  // one of nn/feed_forward.h
  std::string enc_score = "scaled_dot", dec_score = "scaled_dot", cross_score = "scaled_dot";  // of nn/scores
  std::string enc_mask = "none", dec_mask = "none",
              cross_mask = "none";                // of nn/masks; a decoder is causal besides
  int64_t max_keys = 128;                         // location: the longest sequence it can point into
  bool tied_embeddings = false;                   // the output layer shares the target's embeddings
  bool tied_embeddings_all = false;               // and so does the source
  double dropout = 0.1;                           // of embeddings, and of what each part adds
  double dropout_attention = 0, dropout_ffn = 0;  // of weights; of hidden units
  double dropout_src = 0, dropout_trg = 0;  // of whole words: of the source, and of the target that is read
  bool scale_embeddings = true;             // words are multiplied by sqrt(dim_model)
  data::SpecialIds source_ids = {},
                   ids = {};  // special tokens of the source's vocabulary and of the target's

  int64_t heads_of(bool decoder) const { return decoder && dec_heads > 0 ? dec_heads : heads; }
  int64_t dim_ffn_of(bool decoder) const { return decoder && dec_dim_ffn > 0 ? dec_dim_ffn : dim_ffn; }
  bool starts_from_zero() const { return start == "zero" && positions != "rotary"; }
  bool tied() const { return tied_embeddings || tied_embeddings_all; }
  // The most tokens of a sequence, <sos> or <eos> not counted; 0: any number.
  int64_t longest() const;
  // Weights of words, layers and the output layer; the model has somewhat more.
  double least_weights() const;
  // Throws for what cannot be, and for what no memory holds.
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    f("source_vocab", o.source_vocab);
    f("target_vocab", o.target_vocab);
    f("dim_model", o.dim_model);
    f("heads", o.heads);
    f("dim_ffn", o.dim_ffn);
    f("dec_heads", o.dec_heads);
    f("dec_dim_ffn", o.dec_dim_ffn);
    f("enc_depth", o.enc_depth);
    f("dec_depth", o.dec_depth);
    f("norm", o.norm);
    f("positions", o.positions);
    f("max_positions", o.max_positions);
    f("start", o.start);
    f("activation", o.activation);
    f("enc_score", o.enc_score);
    f("dec_score", o.dec_score);
    f("cross_score", o.cross_score);
    f("enc_mask", o.enc_mask);
    f("dec_mask", o.dec_mask);
    f("cross_mask", o.cross_mask);
    f("max_keys", o.max_keys);
    f("tied_embeddings", o.tied_embeddings);
    f("tied_embeddings_all", o.tied_embeddings_all);
    f("dropout", o.dropout);
    f("dropout_attention", o.dropout_attention);
    f("dropout_ffn", o.dropout_ffn);
    f("dropout_src", o.dropout_src);
    f("dropout_trg", o.dropout_trg);
    f("scale_embeddings", o.scale_embeddings);
    each_special_id(o, f);
  }
};

nlohmann::json to_json(const TransformerOptions& options);
// Of a config.json of ours, where keys that are missing keep their defaults and unknown ones throw, or of a layout's.
TransformerOptions transformer_options_from(const nlohmann::json& config);
// Whether MarianMT computes what this model does; throws, naming what it has no room for, where it does not.
void check_fits_marian(const TransformerOptions& options);

}  // namespace fovea::models
