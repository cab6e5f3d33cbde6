// Attention as the four steps, on queries, keys and values that are already split into heads:
//
//   score  ->  mask  ->  weigh  ->  read
//
// By default a combination that has a fused kernel runs on it; otherwise, or when asked, the steps run one by
// one with the matrix of weights written out. Both give the same numbers. nn/attention.h adds projections and
// parameters.
#pragma once

#include <optional>
#include <vector>

#include "fovea/nn/masks/mask.h"
#include "fovea/nn/scores/score.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {

// Whose weights to keep; an empty list means all of them.
struct Look {
  std::vector<int64_t> batches = {}, heads = {}, rows = {};
};
inline Look look_at(Look look) { return look; }

// What was looked at.
struct Seen {
  std::vector<int64_t> batches, heads, rows;  // as asked for; written out where all were
  Tensor weights;                             // [batches, heads, rows, S]
};

enum class Path { kBest, kFused, kPlain };

struct AttendOptions {
  const Score* score = nullptr;  // scaled_dot where null
  ScoreArguments score_params = {};
  // Keys are already what score->keys() makes of them: for queries that come one after the other.
  bool keys_ready = false;
  const Mask* mask = nullptr;    // everything visible where null
  QueryPositions at = {};        // where the queries stand
  const Weigh* weigh = nullptr;  // soft where null
  double temperature = 1;        // of gumbel
  float dropout = 0;             // of the weights
  uint64_t seed = 0, step = 0;   // of dropout and of draws
  Path path = Path::kBest;
  const Look* look = nullptr;
};

struct Attended {
  Var context;     // [B, T, H, M]
  Seen seen;       // what options.look asked for
  Weighed choice;  // on the plain path: the weights, and the positions that hard attention read
  Var scores;  // on the plain path: the masked scores [B, H, T, S], for nn/weigh/estimators.h and for teaching a map
  bool fused = false;
};

// q [B, T, H, n_q], k [B, S, G, n_k], v [B, S, G, m]; G divides H. Keys that are ready may have more heads than values.
Attended attend(const Var& q, const Var& k, const Var& v, const AttendOptions& options = {});

// The same for queries, keys and values of one sequence that lie side by side, as one projection leaves them: qkv [B, L, H + 2 G, D],
// with G = kv_heads. On a kernel they are read in place.
Attended attend_joint(const Var& qkv, int64_t kv_heads, const AttendOptions& options = {});

}  // namespace fovea::nn
