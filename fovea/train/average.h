// The mean of several models' weights: an average over the last part of a training run often translates better than any point of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/tensor/safetensors.h"

namespace fovea::train {

// Element by element, sums in double. All have the same tensors; `sources` stand in messages.
std::vector<NamedTensor> mean_of(std::span<const Safetensors> files, std::span<const std::string> sources);

// Writes the average of the models in `paths` to `out`, a model directory: config and tokenizers are those of the first, and must be
// the same in all.
void average(std::span<const std::string> paths, const std::string& out);

}  // namespace fovea::train
