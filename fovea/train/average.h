// The mean of several models' weights: an average over the last part of a training run often translates better than any point of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/tensor/safetensors.h"

namespace fovea::train {

// Element by element, sums in double. One model is held at a time.
class WeightMean {
 public:
  // All have the same tensors in the same order; `source` stands in messages.
  void add(std::span<const NamedTensor> weights, const std::string& source);
  // In f32. Throws where nothing was added.
  std::vector<NamedTensor> mean() const;

 private:
  std::vector<NamedTensor> sums_;  // f64
  std::string first_;
  int64_t count_ = 0;
};

// Writes the average of the models in `paths` to `out`, a model directory: config and tokenizers are those of the first, and must be
// the same in all.
void average(std::span<const std::string> paths, const std::string& out);

}  // namespace fovea::train
