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
  Tensor segments =
      {};  // i32 [B, S]: which of two sentences a word is of, 0 or 1; undefined: all of the first
};

// What a model reads and is to say, for training and for scores. Of a text to be continued there is no source; of a text with hidden
// words, or with labels, no target_in, and target_out has the words, or labels, to be said. Of pictures there is no source, either.
struct Batch {
  SourceBatch source;
  Tensor pictures;        // f32 [B, height, width, channels], of models that look at pictures
  Tensor target_in;       // i32 [B, T]: <sos>, words, <pad> ...
  Tensor target_out;      // i32 [B, T]: words, <eos>, kIgnore ...
  Tensor target_lengths;  // i32 [B]: <eos> included
  Tensor alignment;  // f32 [B, T, S], where given: each row that has links adds up to 1, the others are 0
  std::vector<int64_t> lines;  // which pair of the corpus each row is
  int64_t target_tokens = 0;   // places of target_out that are not kIgnore

  int64_t rows() const { return target_out.dim(0); }
};

}  // namespace fovea::data
