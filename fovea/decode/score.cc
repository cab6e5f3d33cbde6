#include "fovea/decode/score.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
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
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto longer = [&](size_t i) { return std::max(sources[i].size(), targets[i].size()); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return longer(a) > longer(b); });

  for (size_t begin = 0; begin < order.size();) {
    const auto longest = static_cast<int64_t>(longer(order[begin])) + 1;
    const int64_t fit =
        std::min({batch, kMostPlaces / longest, kMostLogits / (longest * model.target_vocab())});
    const size_t end = std::min(order.size(), begin + static_cast<size_t>(std::max<int64_t>(1, fit)));
    std::vector<std::vector<int32_t>> from, to;
    for (size_t i = begin; i < end; ++i) {
      from.push_back(sources[order[i]]);
      to.push_back(targets[order[i]]);
    }
    Tensor weights;
    const Tensor log_probs =
        model.log_probs(data::make_batch(from, to, model.special_ids()), look ? &weights : nullptr);
    for (size_t i = begin; i < end; ++i) {
      const auto row = static_cast<int64_t>(i - begin);
      const auto T = static_cast<int64_t>(to[i - begin].size()) + 1;
      const float* words = log_probs.data<float>() + row * log_probs.dim(1);
      Scored scored;
      scored.words.assign(words, words + T);
      for (const float word : scored.words) scored.log_prob += static_cast<double>(word);
      if (weights.defined())
        scored.look = cut(weights, row, T, static_cast<int64_t>(from[i - begin].size()) + 1);
      found(order[i], std::move(scored));
    }
    begin = end;
  }
}

}  // namespace fovea::decode
