// Every kind of model there is, as small as can be, one change at a time.
#pragma once

#include <string>
#include <vector>

#include "fovea/models/bert_options.h"
#include "fovea/models/gpt_options.h"
#include "fovea/models/rnn_options.h"
#include "fovea/models/transformer_options.h"
#include "fovea/nn/feed_forward.h"
#include "fovea/nn/masks/spec.h"
#include "fovea/nn/scores/score.h"
#include "tests/models/random_batch.h"

namespace fovea::models {

struct Kind {
  std::string name;
  nlohmann::json config;
  bool looks = true, hard = false;
};

// Every mask that attentions at `place` can have.
inline std::vector<std::string> masks_at(nn::Place place) {
  std::vector<std::string> all;
  for (const nn::MaskKind& kind : nn::mask_table()) {
    if (kind.why_not(place)) continue;
    const bool asks = !kind.numbers.empty() && kind.numbers[0].usual == nn::MaskKind::kNone;
    all.push_back(kind.name + std::string(asks ? ":2" : ""));
  }
  return all;
}

inline RnnOptions small_rnn() {
  RnnOptions o;
  o.source_vocab = kSource;
  o.target_vocab = kTarget;
  o.dim_emb = 6;
  o.dim_rnn = 8;
  return o;
}

// Models that translate.
inline std::vector<Kind> translators() {
  std::vector<Kind> all;
  auto add = [&](const std::string& name, auto change) {
    RnnOptions o = small_rnn();
    change(o);
    all.push_back({name, to_json(o), o.looks(), o.weigh == "hard"});
  };
  for (const char* attention : {"bahdanau", "luong", "bottleneck"})
    for (const char* cell : {"tanh", "gru", "lstm"})
      add(std::string(attention) + " " + cell, [&](RnnOptions& o) {
        o.attention = attention;
        o.cell = cell;
      });
  for (const nn::Score& score : nn::score_table())
    for (const char* attention : {"bahdanau", "luong"})
      add(std::string(attention) + " " + score.name, [&](RnnOptions& o) {
        o.attention = attention;
        o.score = score.name;
      });
  for (const char* attention : {"bahdanau", "luong"}) {
    auto with = [&](const char* name, auto change) {
      add(std::string(attention) + " " + name, [&](RnnOptions& o) {
        o.attention = attention;
        change(o);
      });
    };
    with("two heads", [](RnnOptions& o) { o.heads = 2; });
    for (const std::string& mask : masks_at(nn::Place::kCross))
      with(mask.c_str(), [&](RnnOptions& o) { o.cross_mask = mask; });
    with("one direction", [](RnnOptions& o) { o.bidirectional = false; });
    with("deep", [](RnnOptions& o) { o.enc_depth = 2, o.dec_depth = 3; });
    with("deep lstm", [](RnnOptions& o) { o.enc_depth = 2, o.dec_depth = 2, o.cell = "lstm"; });
    with("readout", [](RnnOptions& o) { o.dim_readout = 5; });
    with("tied", [](RnnOptions& o) { o.tied_embeddings = true; });
    with("tied all", [](RnnOptions& o) { o.tied_embeddings_all = true, o.source_vocab = kTarget; });
    with("hard", [](RnnOptions& o) { o.weigh = "hard"; });
  }
  add("luong input feeding", [](RnnOptions& o) { o.attention = "luong", o.input_feeding = true; });
  add("luong input feeding tied lstm", [](RnnOptions& o) {
    o.attention = "luong", o.input_feeding = true, o.tied_embeddings = true, o.cell = "lstm";
  });
  const auto transformer = [&](const std::string& name, auto change) {
    TransformerOptions o;
    o.source_vocab = kSource;
    o.target_vocab = kTarget;
    o.dim_model = 8;
    o.heads = 2;
    o.dim_ffn = 16;
    o.enc_depth = 1;
    o.dec_depth = 2;
    o.dropout = 0;
    o.activation = "gelu";  // relu's corner is no slope
    change(o);
    all.push_back({"transformer " + name, to_json(o), true, false});
  };
  using T = TransformerOptions;
  transformer("as it is", [](T&) {});
  transformer("post", [](T& o) { o.norm = "post"; });
  transformer("learned", [](T& o) { o.positions = "learned", o.max_positions = 20; });
  transformer("learned start", [](T& o) { o.start = "learned"; });
  transformer("rotary", [](T& o) { o.positions = "rotary"; });
  for (const std::string& mask : masks_at(nn::Place::kEncoder))
    transformer("enc " + mask, [&](T& o) { o.enc_mask = mask; });
  for (const std::string& mask : masks_at(nn::Place::kDecoder))
    if (mask != "prefix:2") transformer("dec " + mask, [&](T& o) { o.dec_mask = mask; });
  for (const std::string& mask : masks_at(nn::Place::kCross))
    transformer("cross " + mask, [&](T& o) { o.cross_mask = mask; });
  transformer("masks everywhere", [](T& o) {
    o.enc_mask = "alibi+local-p:3", o.dec_mask = "relative:4:8+window:3",
    o.cross_mask = "relative:4:8+local-m:4";
  });
  transformer("tied", [](T& o) { o.tied_embeddings = true; });
  transformer("tied all", [](T& o) { o.tied_embeddings_all = true, o.source_vocab = kTarget; });
  for (const std::string_view activation : nn::activation_names())
    transformer(std::string(activation), [&](T& o) { o.activation = activation; });
  for (const nn::Score& score : nn::score_table())
    transformer(score.name, [&](T& o) { o.enc_score = o.dec_score = o.cross_score = score.name; });
  return all;
}

// Models that continue texts.
inline std::vector<Kind> language_models() {
  std::vector<Kind> all;
  const auto add = [&](const std::string& name, const char* layout, auto change) {
    GptOptions o = gpt_defaults(layout);
    o.vocab = kTarget;
    o.n_layer = 2;
    o.n_head = 4;
    o.n_embd = 16;
    o.block_size = 40;
    change(o);
    all.push_back({name, to_json(o)});
  };
  using G = GptOptions;
  add("gpt2", "gpt2", [](G&) {});
  add("gpt2 without biases", "gpt2", [](G& o) { o.bias = false, o.tied = false; });
  add("llama", "llama", [](G& o) { o.n_kv_head = 2; });
  for (const std::string& mask : masks_at(nn::Place::kDecoder))
    if (mask != "prefix:2") add("gpt2 " + mask, "gpt2", [&](G& o) { o.dec_mask = mask; });
  add("llama masked", "llama", [](G& o) { o.n_kv_head = 2, o.dec_mask = "alibi+relative:4:8+window:5"; });
  add("llama multi-query", "llama", [](G& o) { o.n_kv_head = 1, o.tied = false; });
  return all;
}

// The name of a kind as that of a test.
inline std::string test_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace fovea::models
