// The smallest model that has all that training can trip over: parameters, noise that depends on the step, a buffer that is no
// parameter, and costs that can be made not finite.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/dropout.h"
#include "fovea/autograd/loss.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/net.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/linear.h"

namespace fovea::testing {

// logits_t = W (target_{t-1} + mean of the source's embeddings), with dropout.
class TinyModel final : public models::Net {
 public:
  TinyModel(int64_t source_vocab, int64_t target_vocab, uint64_t seed, int64_t width = 8)
      : random_(seed),
        source_(source_vocab, width, random_),
        target_(target_vocab, width, random_),
        out_(width, target_vocab, true, random_) {}

  nlohmann::json config() const override { return {{"model_type", "tiny"}}; }
  nn::ParameterList parameters() override {
    nn::ParameterList list;
    source_.collect("source.", list);
    target_.collect("target.", list);
    out_.collect("out.", list);
    return list;
  }
  std::vector<NamedTensor> buffers() override { return {{"seen", seen_}}; }

  models::Cost cost(const data::Batch& batch, const models::CostOptions& options) override {
    autograd::Var x =
        autograd::add(target_(batch.target_in), autograd::mean(source_(batch.source.ids), 1, true));
    if (options.training) x = autograd::dropout(x, 0.2f, 7, options.step);
    const CrossEntropyOptions how{.label_smoothing = options.label_smoothing,
                                  .ignore_index = data::kIgnore,
                                  .reduction = Reduction::kSum};
    models::Cost cost;
    cost.total = autograd::cross_entropy(out_(x), batch.target_out, how);
    if (options.training) {
      // A buffer that changes with every step, and that the cost depends on.
      cost.total = autograd::scale(cost.total, 1 + 0.1 * seen_.item());
      seen_.data<float>()[0] =
          0.9f * seen_.data<float>()[0] + 0.01f * static_cast<float>(batch.lines.front() % 7);
      for (const uint64_t step : broken_)
        if (step == options.step) {
          cost.total = autograd::scale(cost.total, std::numeric_limits<double>::quiet_NaN());
          seen_.fill(std::numeric_limits<double>::quiet_NaN());
        }
    }
    cost.cross_entropy = cost.total.value().item();
    cost.tokens = batch.target_tokens;
    return cost;
  }

  // The cost of these steps is not a number.
  void break_at(std::vector<uint64_t> steps) { broken_ = std::move(steps); }

  std::vector<NamedTensor> weights() {
    std::vector<NamedTensor> list;
    for (nn::Parameter* parameter : parameters()) list.push_back({parameter->name, parameter->value});
    list.push_back({"seen", seen_});
    return list;
  }
  void load(const Safetensors& file) {
    for (const NamedTensor& each : weights()) {
      const std::vector<float> values = file.read(each.name).values<float>();
      std::copy(values.begin(), values.end(), each.tensor.data<float>());
    }
  }
  // Every bit of it.
  std::vector<std::vector<float>> values() {
    std::vector<std::vector<float>> all;
    for (const NamedTensor& each : weights()) all.push_back(each.tensor.values<float>());
    return all;
  }

 private:
  Random random_;
  nn::Embedding source_, target_;
  nn::Linear out_;
  Tensor seen_ = Tensor::zeros({1});
  std::vector<uint64_t> broken_;
};

}  // namespace fovea::testing
