#include "fovea/decode/score.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/length_batches.h"
#include "fovea/data/make_batch.h"

namespace fovea::decode {
namespace {

// A batch has at most so many places for words, and numbers in its logits (or one pair).
constexpr int64_t kMostPlaces = 1 << 15, kMostLogits = 1 << 26;

// Row b of weights [B, H, T, S] without its padding.
Tensor cut(const Tensor& look, int64_t b, int64_t T, int64_t S) {
  const int64_t heads = look.dim(1), rows = look.dim(2), cols = look.dim(3);
  Tensor own = Tensor::empty({heads, T, S});
  float* out = own.data<float>();
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < T; ++t)
      out = std::copy_n(look.data<float>() + ((b * heads + h) * rows + t) * cols, S, out);
  return own;
}

}  // namespace

void score_all(models::Seq2Seq& model, std::span<const std::vector<int32_t>> sources,
               std::span<const std::vector<int32_t>> targets, int64_t batch, bool look,
               const std::function<void(size_t, Scored)>& found) {
  check(sources.size() == targets.size(), "score", "{} sources and {} targets: they must be pairs",
        sources.size(), targets.size());
  check(batch >= 1, "score", "batches of {}: expected 1 or more", batch);
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < sources.size(); ++i)
    lengths.push_back(static_cast<int64_t>(std::max(sources[i].size(), targets[i].size())) + 1);
  const int64_t places = std::min(kMostPlaces, kMostLogits / model.target_vocab());
  for (const std::vector<size_t>& which : data::length_batches(lengths, {.rows = batch, .places = places})) {
    std::vector<std::vector<int32_t>> from, to;
    for (const size_t i : which) {
      from.push_back(sources[i]);
      to.push_back(targets[i]);
    }
    Tensor weights;
    const Tensor log_probs =
        model.log_probs(data::make_batch(from, to, model.special_ids()), look ? &weights : nullptr);
    for (size_t i = 0; i < which.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      const auto T = static_cast<int64_t>(to[i].size()) + 1;
      const float* words = log_probs.data<float>() + row * log_probs.dim(1);
      Scored scored;
      scored.words.assign(words, words + T);
      for (const float word : scored.words) scored.log_prob += static_cast<double>(word);
      if (weights.defined()) scored.look = cut(weights, row, T, static_cast<int64_t>(from[i].size()) + 1);
      found(which[i], std::move(scored));
    }
  }
}

}  // namespace fovea::decode
