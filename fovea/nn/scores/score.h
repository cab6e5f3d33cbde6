// Step one: how well a key answers a query. Each score has its file, and its row in table.cc.
#pragma once

#include <array>
#include <initializer_list>
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

// A score's parameters in the order of params(), each of the shape given there (shared by all heads) or with
// a leading axis of H (one for each head). Held inline: passing them does not allocate.
class ScoreArguments {
 public:
  static constexpr size_t kMost = 4;

  ScoreArguments() = default;
  ScoreArguments(std::span<const Var> vars) {  // NOLINT: a list of Vars
    check(vars.size() <= kMost, "score", "{} parameters: at most {} are possible", vars.size(), kMost);
    for (const Var& var : vars) vars_[count_++] = var;
  }
  ScoreArguments(const std::vector<Var>& vars) : ScoreArguments(std::span<const Var>(vars)) {}  // NOLINT
  ScoreArguments(std::initializer_list<Var> vars)
      : ScoreArguments(std::span<const Var>(vars.begin(), vars.size())) {}

  // Throws where there is none.
  const Var& operator[](size_t i) const {
    check(i < count_ && vars_[i].defined(), "score", "parameter {} is missing: {} were given", i + 1, count_);
    return vars_[i];
  }

 private:
  std::array<Var, kMost> vars_;
  size_t count_ = 0;
};

struct Score {
  const char* name;
  const char* formula;
  const char* what;
  std::vector<ScoreParam> (*params)(const ScoreSizes&);
  // e [B, H, T, S] of q [B, H, T, n_q] and k [B, H, S, n_k], by the formula: the oracle.
  Var (*plain)(const Var& q, const Var& k, const ScoreArguments& params);
  // The same as one of the forms that have a fused kernel, for q [B, T, H, n_q] and k [B, S, G, n_k] as
  // keys() leaves them; null where there is none.
  PairScore (*fused)(const Var& q, const Var& k, const ScoreArguments& params);
  // What the fused form does to keys, of which the first stands at position `first`, for H heads of queries: done once, however many
  // queries come after. Null: nothing.
  Var (*keys)(const Var& k, int64_t first, int64_t heads, const ScoreArguments& params) = nullptr;
  // Where the score is a number times q.k: that number, for heads of this width. Null: it is something else.
  double (*scale)(double width) = nullptr;
  // Keys are what keys() makes of their positions, whatever they are.
  bool positional = false;
};

// Every score, in the order in which help lists them.
std::span<const Score> score_table();
// Throws where there is none of that name, and names the nearest.
const Score& score_named(std::string_view name);

// The scores e [B, H, T, S] of a fused form, by plain steps.
Var scores_of(const PairScore& pair);

// x [B, S, G, D] with each head repeated: [B, S, G * times, D], head h being x's head h / times.
Var repeat_heads(const Var& x, int64_t times);

}  // namespace fovea::nn
