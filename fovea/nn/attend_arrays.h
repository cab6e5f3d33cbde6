// Attention on arrays as people have them, everything chosen by name: what `fovea attend` and the library offer. attend.h takes heads
// that are split already.
#pragma once

#include <map>
#include <string>

#include "fovea/nn/attend.h"
#include "fovea/nn/masks/spec.h"

namespace fovea::nn {

// Undefined tensors are not given. Floating-point arrays are all f32, or all f64.
struct ArrayAttention {
  Tensor query, key,
      value;  // [T, n], [S, n], [S, m], or each with B in front; n and m are those of all heads together
  std::string score = "scaled_dot";
  std::map<std::string, Tensor> params =
      {};  // of the score; Wp and vp of the mask local-p. For all heads, or with H in front
  int64_t heads = 1;
  int64_t kv_heads = 0;  // 0: as heads
  MaskSpec masks = {};
  Tensor lengths = {};  // i32 [B]: keys of each batch entry
  Tensor visible = {},
         bias = {};       // [T, S], [B, T, S] or [B, H, T, S]; u8, not 0 = visible; added to the scores
  Tensor relative = {};   // [buckets, H]
  bool rope = false;      // rotary positions on query and key
  std::string hard = {};  // read one position: a name of weigh_table(); empty: soft
  uint64_t seed = 1;      // of draws
  Path path = Path::kBest;
  const Look* look = nullptr;
  Tensor upstream = {};  // gradient of the context; where given, gradients are computed
};

struct ArrayAttended {
  Tensor context;  // [T, H m / G], or with B in front as the query has it, for H heads and G kv_heads
  Seen seen;       // what `look` asked for
  Tensor chosen;   // hard: i32 [B, H, T]
  // By upstream, each as its array is: query, key, value, bias, relative, and the params by their names.
  std::map<std::string, Tensor> gradients;
};

// Throws Error("[attend] ...") where the score has no parameter of a name that is given, or one that it needs is missing.
void check_param_names(const ArrayAttention& arrays);

// Throws for shapes that do not fit each other, and for unknown names.
ArrayAttended attend_arrays(const ArrayAttention& arrays);

}  // namespace fovea::nn
