// An attention layer: projections into heads, the four steps, heads merged and projected.
//
//   nn::Attention attention({.width = 512, .score = "additive", .mask = causal() & window(256), .heads = 8});
//   auto result = attention(query, keys, values, {.look = look_at({.heads = {0, 3}})});
//   result.context                 // [B, T, 512]
//   result.seen.weights            // [B, 2, T, S]: where heads 0 and 3 looked
//
// Self-attention gives the same sequence three times; cross-attention takes keys and values from elsewhere.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "fovea/nn/attend.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/masks/spec.h"
#include "fovea/tensor/positions.h"

namespace fovea::nn {

struct AttentionOptions {
  int64_t width = 0;        // of queries, and of the result
  int64_t key_width = 0;    // of keys; 0: as width
  int64_t value_width = 0;  // of values; 0: as key_width
  std::string score = "scaled_dot";
  Mask mask = {};
  MaskSpec masks = {};            // beside `mask`, by name: "alibi+window:64". What they learn is the layer's
  Place place = Place::kEncoder;  // for `masks`; kDecoder: causal
  int64_t heads = 1;
  int64_t kv_heads = 0;  // heads of keys and values; 0: as heads, 1: multi-query, between: grouped
  // false: no projections. Queries, keys and values are split into heads as they are, and heads are only
  // joined again.
  bool project = true;
  // Self-attention: one product makes queries, keys and values. Widths of keys and values are those of queries.
  bool joint = false;
  bool bias = false;     // in the projections
  bool out_bias = true;  // in the last of them, too, where `bias` says so
  int64_t hidden = 0;    // the width a of additive and concat; 0: a head's width
  int64_t max_keys = 0;  // location: the most keys it can point at
  bool rotary = false;   // rotary positions on queries and keys
  double rotary_base = 10000;
  std::string weigh = "soft";           // or "hard"
  std::string estimator = "reinforce";  // hard: how it learns, see nn/weigh/estimators.h
  double temperature = 1;               // hard with the gumbel estimator
  float dropout = 0;                    // of the weights, while training
  uint64_t seed = 1;  // of the first weights, of dropout and of draws; layers of one model want
                      // different ones, or one Random for all
};

// What differs from call to call.
struct AttentionCall {
  Mask mask = {};          // in addition to the layer's: padding, say
  QueryPositions at = {};  // where the queries stand
  // Dropout is on, and hard attention draws a position instead of taking the most likely one. Both need `step`: noise that is
  // the same in every step would be learned.
  bool training = false;
  std::optional<uint64_t> step = {};
  bool softly = false;  // hard attention reads everywhere, as soft attention does
  std::optional<Look> look = {};
  Path path = Path::kBest;
};

// Keys and values, projected into heads once for all queries.
struct KeysValues {
  Var keys, values;  // [B, S, heads, width]
};

class Attention {
 public:
  explicit Attention(AttentionOptions options);
  // The first weights, and the seed of dropout and draws, come from `random`, which the layers of a model share.
  Attention(AttentionOptions options, Random& random);
  Attention(const Attention&) = delete;  // collect() hands out pointers into it
  Attention& operator=(const Attention&) = delete;

  // query [B, T, width], keys [B, S, key_width], values [B, S, value_width]; the context is [B, T, width]
  // when projected, else [B, T, H * (value_width / kv_heads)].
  Attended operator()(const Var& query, const Var& keys, const Var& values, const AttentionCall& call = {});

  // Self-attention of x [B, L, width].
  Attended operator()(const Var& x, const AttentionCall& call = {});

  // `first`: the position of the first key, for rotary positions and for the score location.
  KeysValues keys_values(const Var& keys, const Var& values, int64_t first = 0);
  Attended operator()(const Var& query, const KeysValues& of, const AttentionCall& call = {});

  // What a query would read that looked at one position only, for every position: [B, S, ..] as contexts are. One head.
  Var read_each(const KeysValues& of);

  const AttentionOptions& options() const { return options_; }
  void collect(const std::string& prefix, ParameterList& list);

 private:
  void check_options() const;
  void build(Random& random);
  Mask masks();  // the named ones
  Mask mask_of(const AttentionCall& call);
  // Rows of the joint projection that make queries (part 0), keys (1) or values (2).
  Var joint_part(const Var& x, int part);
  // What of the call and the layer attend() wants to know; `mask` must live as long.
  AttendOptions attend_options(const Mask& mask, const AttentionCall& call);
  Attended merged(Attended y);
  // Into heads, with rotary positions where they are on.
  Var key_heads(const Var& keys, int64_t first);
  Var value_heads(const Var& values);
  Attended attend_to(const Var& query, const Var& keys, const Var& values, bool keys_ready,
                     const AttentionCall& call);
  // Rows [first, first + count) of the table of rotary angles, which grows when longer sequences come.
  tensor::RotaryTable angles(int64_t first, int64_t count);

  AttentionOptions options_;
  const Score* score_ = nullptr;
  std::optional<Linear> query_, key_, value_, out_;
  std::optional<Linear> qkv_;  // in place of the first three
  std::vector<ScoreParam> specs_;
  std::vector<Parameter> score_params_;  // one for each of specs_, with a leading axis of H
  std::vector<Parameter> mask_params_;   // what `masks` learn
  tensor::RotaryTable rotary_;
};

}  // namespace fovea::nn
