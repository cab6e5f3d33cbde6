#include "fovea/train/update.h"

#include <cmath>
#include <cstring>

#include "fovea/nn/parameter_buffer.h"

namespace fovea::train {
Updater::Updater(models::Net& net, Optimizer& optimizer, Options options)
    : net_(net), optimizer_(optimizer), options_(options), parameters_(net.parameters()) {
  nn::gather(parameters_);
  for (const NamedTensor& buffer : net.buffers()) {
    buffers_.push_back(buffer.tensor);
    kept_.push_back(buffer.tensor.copy());
  }
}

void Updater::keep_buffers() {
  for (size_t i = 0; i < buffers_.size(); ++i) kept_[i].copy_from(buffers_[i]);
}

void Updater::restore_buffers() {
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_from(kept_[i]);
}

Updated Updater::operator()(std::span<const data::Batch> batches, int64_t first_step, double learning_rate,
                            double done) {
  Updated result{.learning_rate = learning_rate};
  int64_t tokens = 0;
  for (const data::Batch& batch : batches) tokens += batch.target_tokens;
  for (nn::Parameter* parameter : parameters_) parameter->clear_grad();
  keep_buffers();

  for (size_t i = 0; i < batches.size() && !result.skipped; ++i) {
    autograd::Tape tape;
    const models::Cost cost = net_.cost(batches[i], {.training = true,
                                                     .step = static_cast<uint64_t>(first_step) + i,
                                                     .label_smoothing = options_.label_smoothing,
                                                     .done = done,
                                                     .guided = options_.guided});
    result.cross_entropy += cost.cross_entropy;
    result.tokens += cost.tokens;
    result.skipped = !std::isfinite(cost.total.value().item());
    if (!result.skipped)
      tape.backward(cost.total, Tensor::full(cost.total.shape(), 1.0 / static_cast<double>(tokens)));
  }
  if (!result.skipped) {
    result.gradient_norm = optimizer_.step(parameters_, static_cast<float>(learning_rate));
    result.skipped = !std::isfinite(result.gradient_norm);
  }
  if (result.skipped) restore_buffers();
  return result;
}

}  // namespace fovea::train
