// Sentences side by side, padded to the longest.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::data {

// In target_out: a place that is no word and costs nothing.
inline constexpr int32_t kIgnore = -1;

// Sources as an encoder reads them.
struct SourceBatch {
  Tensor ids;      // i32 [B, S]: words, <eos>, <pad> ...
  Tensor lengths;  // i32 [B]: <eos> included, at least 1
};

// Pairs, for training and for scores.
struct Batch {
  SourceBatch source;
  Tensor target_in;       // i32 [B, T]: <sos>, words, <pad> ...
  Tensor target_out;      // i32 [B, T]: words, <eos>, kIgnore ...
  Tensor target_lengths;  // i32 [B]: <eos> included
  Tensor alignment;  // f32 [B, T, S], where given: each row that has links adds up to 1, the others are 0
  std::vector<int64_t> lines;  // which pair of the corpus each row is
  int64_t target_tokens = 0;   // places of target_out that are not kIgnore
};

}  // namespace fovea::data
