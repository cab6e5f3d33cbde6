// Which attention weights to keep while a model runs, and what was kept.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::run {

enum class Site : uint8_t { kEncoder, kSelf, kCross };

struct LookAt {
  bool encoder = false, self = false, cross = false;
  std::vector<int64_t> layers = {},
                       heads = {};  // empty: all of them; -1 is the last layer, -2 the one before
  bool every_row = false;           // of every token fed; otherwise of those whose logits are wanted

  bool at(Site site) const { return site == Site::kEncoder ? encoder : site == Site::kSelf ? self : cross; }
  bool at(Site site, int64_t layer, int64_t depth) const {
    if (!at(site)) return false;
    for (const int64_t one : layers)
      if (one == layer || one + depth == layer) return true;
    return layers.empty();
  }
};

struct Seen {
  Site site;
  int64_t layer;
  Tensor
      weights;  // f32 [heads, rows, keys]: the heads and rows asked for, in their order; 0 for keys out of sight
};
// What one sequence saw, layer by layer.
using Looked = std::vector<Seen>;

}  // namespace fovea::run
