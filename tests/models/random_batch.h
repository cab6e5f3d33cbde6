// Pairs of random words for models that are as small as can be, and teaching such a model.
#pragma once

#include <utility>
#include <vector>

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/parallel.h"
#include "fovea/models/net.h"
#include "fovea/train/optimizer.h"
#include "fovea/train/update.h"
#include "tests/count_allocations.h"

namespace fovea::models {

inline constexpr int64_t kSource = 11, kTarget = 13;

// Row b has the given numbers of words, <eos> included.
inline data::Batch random_batch(const std::vector<std::pair<int, int>>& lengths, uint64_t seed,
                                int64_t pad_source = 0, int64_t pad_target = 0) {
  const auto rows = static_cast<int64_t>(lengths.size());
  int64_t S = pad_source, T = pad_target;
  for (const auto& [s, t] : lengths) {
    S = std::max<int64_t>(S, s);
    T = std::max<int64_t>(T, t);
  }
  data::Batch batch;
  batch.source.ids = Tensor::zeros({rows, S}, DType::kI32);
  batch.target_in = Tensor::zeros({rows, T}, DType::kI32);
  batch.target_out = Tensor::full({rows, T}, data::kIgnore, DType::kI32);
  batch.source.lengths = Tensor::empty({rows}, DType::kI32);
  batch.target_lengths = Tensor::empty({rows}, DType::kI32);
  for (int64_t b = 0; b < rows; ++b) {
    Random random(seed, static_cast<uint64_t>(b));
    const auto [s, t] = lengths[static_cast<size_t>(b)];
    batch.source.lengths.data<int32_t>()[b] = s;
    batch.target_lengths.data<int32_t>()[b] = t;
    batch.target_tokens += t;
    for (int i = 0; i < s; ++i)
      batch.source.ids.data<int32_t>()[b * S + i] =
          static_cast<int32_t>(i + 1 == s ? 3 : 4 + random.below(kSource - 4));
    int32_t previous = 2;
    for (int i = 0; i < t; ++i) {
      const auto word = static_cast<int32_t>(i + 1 == t ? 3 : 4 + random.below(kTarget - 4));
      batch.target_in.data<int32_t>()[b * T + i] = previous;
      batch.target_out.data<int32_t>()[b * T + i] = word;
      previous = word;
    }
    batch.lines.push_back(b);
  }
  return batch;
}

// Models this small gain nothing from a second thread, and on a busy machine wait for it.
struct OneThread {
  OneThread() { set_threads(1); }
  ~OneThread() { set_threads(0); }
};

// The cost of a word before and after a number of updates on one batch.
inline std::pair<double, double> teach(Net& model, const data::Batch& batch, uint64_t steps,
                                       float guided = 0) {
  const OneThread one_thread;
  train::Optimizer optimizer({.name = "adam", .learning_rate = 0.03f, .clip_norm = 1});
  const nn::ParameterList parameters = model.parameters();
  double first = 0, last = 0;
  for (uint64_t step = 0; step < steps; ++step) {
    autograd::Tape tape;
    const Cost cost =
        model.cost(batch, {.training = true, .step = step, .label_smoothing = 0, .guided = guided});
    for (nn::Parameter* p : parameters) p->zero_grad();
    tape.backward(autograd::scale(cost.total, 1.0 / static_cast<double>(cost.tokens)));
    optimizer.step(parameters);
    (step == 0 ? first : last) = cost.cross_entropy / static_cast<double>(cost.tokens);
  }
  return {first, last};
}
inline constexpr uint64_t kSteps = 50;

// What some updates on one batch take from the heap, the first two not counted.
inline int64_t allocations_of_steps(Net& net, const data::Batch& batch) {
  const OneThread one_thread;
  train::Optimizer optimizer({.name = "adam", .clip_norm = 1});
  train::Updater update(net, optimizer, {});
  const auto step = [&] { EXPECT_FALSE(update(std::span(&batch, 1), 1, 1e-3).skipped); };
  step();
  step();
  return testing::count_allocations([&] {
    for (int i = 0; i < 3; ++i) step();
  });
}

}  // namespace fovea::models
