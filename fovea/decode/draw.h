// One token drawn from a row of logits: a pure function of its arguments.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/decode/sampling.h"

namespace fovea::decode {

struct Drawn {
  int32_t token = -1;  // -1: the row holds NaN or +inf, or nothing that may be chosen
  float log_prob = 0;  // what the model gives it: temperature, top-k and top-p not applied
};

// p = softmax(logits / temperature) without the `hidden` ids (ascending); of these the top_k most probable; of these
// the fewest most probable ones that have a share of top_p; of these those with at least min_p times the largest p; u in [0, 1)
// picks one by its share. Of equally probable tokens the lower id counts as the more probable.
Drawn draw(std::span<const float> logits, const Sampling& sampling, std::span<const int32_t> hidden,
           double u);

// The number in [0, 1) that decides token `position` of line `line`.
double draw_position(uint64_t seed, int64_t line, int64_t position);

}  // namespace fovea::decode
