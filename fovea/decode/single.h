// What greedy search and sampling share: one prefix for each sentence, one word chosen at each step.
#pragma once

#include <functional>

#include "fovea/decode/method.h"

namespace fovea::decode {

// From logits f32 [rows, 1, V] the next word of each row, and its log-probability; -1 where the row is no
// distribution. lines[r] is the sentence in row r, `position` how many words it has.
using Choose = std::function<void(const Tensor& logits, std::span<const int64_t> lines, int64_t position,
                                  int32_t* words, float* log_probs)>;

std::vector<NBest> search_single(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options,
                                 const Choose& choose);

}  // namespace fovea::decode
