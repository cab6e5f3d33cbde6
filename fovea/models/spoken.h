// What models that write words do with the words they should write.
#pragma once

#include <algorithm>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/autograd/step_linear.h"
#include "fovea/data/batch.h"

namespace fovea::models {

// The places of i32 targets that are words, and those words: the output layer, most of a model's work, skips the rest.
struct SpokenWords {
  explicit SpokenWords(const Tensor& targets) {
    int64_t count = 0;
    for (const int32_t id : targets.span<int32_t>()) count += id != data::kIgnore;
    at = Tensor::empty({count}, DType::kI32);
    ids = Tensor::empty({count}, DType::kI32);
    for (int64_t i = 0, to = 0; i < targets.size(); ++i) {
      if (targets.data<int32_t>()[i] == data::kIgnore) continue;
      at.data<int32_t>()[to] = static_cast<int32_t>(i);
      ids.data<int32_t>()[to++] = targets.data<int32_t>()[i];
    }
  }
  Tensor at, ids;
};

// log p(target) for outputs [.., E] of an output layer, targets i32 of as many rows: f32 [rows], 0 where there is no word. Logits exist for
// a few rows at a time. Nothing is recorded.
inline Tensor token_log_probs(const Tensor& outputs, const Tensor& targets, const autograd::Var& weight,
                              const autograd::Var& bias) {
  const autograd::NoTape off;
  constexpr int64_t kAtOnce = 256;
  const int64_t rows = targets.size();
  const Tensor result = Tensor::empty({rows}), flat = outputs.reshape({rows, outputs.dim(-1)}),
               wanted = targets.reshape({rows});
  autograd::StepLinear output(weight, bias, 0, 0);
  for (int64_t begin = 0; begin < rows; begin += kAtOnce) {
    const int64_t end = std::min(rows, begin + kAtOnce);
    const autograd::Var logits = output(flat.slice(begin, end));
    const Tensor picked = autograd::pick(autograd::log_softmax(logits), wanted.slice(begin, end)).value();
    std::copy_n(picked.data<float>(), end - begin, result.data<float>() + begin);
  }
  return result;
}

// Cross-entropy between an alignment [B, T, S] and the map of scores [B, H, T, S], summed over target words that have links, mean over
// heads, times `weight`.
inline autograd::Var guided_cost(const Tensor& links, const autograd::Var& scores, double weight) {
  const autograd::Var logs = autograd::log(autograd::add_scalar(autograd::softmax(scores), 1e-9));
  const autograd::Var wanted = links.reshape({links.dim(0), 1, links.dim(1), links.dim(2)});
  return autograd::scale(autograd::sum(autograd::mul(logs, wanted)),
                         -weight / static_cast<double>(scores.dim(1)));
}

}  // namespace fovea::models
