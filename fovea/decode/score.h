// What a model thinks of given pairs: log-probabilities, and where it would have looked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fovea/models/seq2seq.h"

namespace fovea::decode {

struct Scored {
  double log_prob = 0;
  std::vector<float> words;  // log-probability of each target word, and of <eos>
  Tensor look;               // f32 [H, T, S], as Hypothesis::look; undefined unless asked for
};

// Sources and targets as ids without <sos> and <eos>, both may be empty; in batches of at most `batch` pairs that are near in
// length. found(i, scored) is called once for each, in no given order.
void score_all(models::Seq2Seq& model, std::span<const std::vector<int32_t>> sources,
               std::span<const std::vector<int32_t>> targets, int64_t batch, bool look,
               const std::function<void(size_t, Scored)>& found);

}  // namespace fovea::decode
