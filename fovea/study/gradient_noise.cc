#include "fovea/study/gradient_noise.h"

#include <vector>

#include "fovea/autograd/tape.h"

namespace fovea::study {
namespace {

// The gradient of the mean cost of a token with the noise of one step.
void differentiate(models::Net& net, const data::Batch& batch, uint64_t step) {
  for (nn::Parameter* parameter : net.parameters()) parameter->zero_grad();
  autograd::Tape tape;
  const models::Cost cost = net.cost(batch, {.training = true, .step = step});
  tape.backward(cost.total, Tensor::full(cost.total.shape(), 1.0 / static_cast<double>(batch.target_tokens)));
}

}  // namespace

std::optional<GradientNoise> gradient_noise(models::Net& net, const data::Batch& batch, int64_t draws,
                                            const std::function<bool()>& stop) {
  const std::vector<NamedTensor> buffers = net.buffers();
  std::vector<Tensor> kept;
  for (const NamedTensor& buffer : buffers) kept.push_back(buffer.tensor.copy());
  // Running means and sums of squared distances from them (Welford), a number for each weight.
  std::vector<double> mean;
  double distances = 0;
  for (int64_t k = 0; k < draws; ++k) {
    if (stop && stop()) return {};
    differentiate(net, batch, static_cast<uint64_t>(k));
    // Baselines and the like move with every cost.
    for (size_t i = 0; i < buffers.size(); ++i) Tensor(buffers[i].tensor).copy_from(kept[i]);
    size_t at = 0;
    for (const nn::Parameter* parameter : net.parameters()) {
      const auto size = static_cast<size_t>(parameter->value.size());
      mean.resize(std::max(mean.size(), at + size));
      if (parameter->has_grad()) {
        const std::span<const float> grad = parameter->grad.span<float>();
        for (size_t i = 0; i < size; ++i) {
          const double from_old = static_cast<double>(grad[i]) - mean[at + i];
          mean[at + i] += from_old / static_cast<double>(k + 1);
          distances += from_old * (static_cast<double>(grad[i]) - mean[at + i]);
        }
      }
      at += size;
    }
  }
  GradientNoise noise;
  noise.variance = draws > 1 ? distances / static_cast<double>(draws - 1) : 0;
  for (const double m : mean) noise.squared_mean += m * m;
  return noise;
}

}  // namespace fovea::study
