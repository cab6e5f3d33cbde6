// Step one: how well a key answers a query. Each score has its file, and its row in table.cc.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fovea/autograd/attention.h"

namespace fovea::nn {

using autograd::PairScore;
using autograd::Var;

// Widths a score's parameters depend on. `hidden` is the width a of additive and concat; `max_keys` the most
// keys that location can point at.
struct ScoreSizes {
  int64_t query, key, hidden, max_keys;
};

struct ScoreParam {
  const char* name;
  Shape shape;  // for one head
};

// Parameters are passed in the order of params(), each of the shape given there (shared by all heads) or with
// a leading axis of H (one for each head).
struct Score {
  const char* name;
  const char* formula;
  const char* what;
  std::vector<ScoreParam> (*params)(const ScoreSizes&);
  // e [B, H, T, S] of q [B, H, T, n_q] and k [B, H, S, n_k], by the formula: the oracle.
  Var (*plain)(const Var& q, const Var& k, std::span<const Var> params);
  // The same as one of the forms that have a fused kernel, for q [B, T, H, n_q] and k [B, S, G, n_k]; null
  // where there is none.
  PairScore (*fused)(const Var& q, const Var& k, std::span<const Var> params);
};

// Every score, in the order in which help lists them.
std::span<const Score> score_table();
// Throws where there is none of that name, and names the nearest.
const Score& score_named(std::string_view name);

// x [B, S, G, D] with each head repeated: [B, S, G * times, D], head h being x's head h / times.
Var repeat_heads(const Var& x, int64_t times);

}  // namespace fovea::nn
