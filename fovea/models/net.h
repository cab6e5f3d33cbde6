// A model while it is trained: parameters and a cost. Training, checkpoints and model directories are written against this; a model
// that runs is a run::Runner. One thread at a time.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/nn/parameter.h"
#include "fovea/tensor/safetensors.h"

namespace fovea::models {

using autograd::Var;

struct CostOptions {
  bool training = false;  // dropout and draws are on
  uint64_t step = 0;      // of the noise: the same step has the same noise
  float label_smoothing = 0;
  double done =
      0;  // the share of the run that is over, 0 to 1: what changes as a model learns is a function of it
  float guided = 0;  // weight of the cross-entropy between the map and batch.alignment
};

struct Cost {
  Var total;  // what to differentiate: the sum over target tokens, every extra term included
  double cross_entropy =
      0;  // sum over target tokens of -log p(word), smoothed as asked, extra terms not included
  int64_t tokens = 0;
};

// A tensor of the net and the form it has in a file.
struct Stored {
  std::string name;
  Tensor tensor;                // the net's own memory: a parameter, a buffer, or some rows of one
  bool transposed = false;      // the file has columns for rows
  bool channels_first = false;  // the file has [n, channels, height, width] for [n, height, width, channels]
  bool zero = false;            // the model has no such weight: files have zeros there
};

class Net {
 public:
  virtual ~Net() = default;

  // Everything that makes a model of the same shape: {"model_type": "rnn", ...}.
  virtual nlohmann::json config() const = 0;
  virtual nn::ParameterList parameters() = 0;
  // State that is saved beside the parameters and not trained by gradients. The tensors are the model's own.
  virtual std::vector<NamedTensor> buffers() { return {}; }
  // Parameters and buffers as they stand in model.safetensors.
  virtual std::vector<Stored> stored();

  virtual Cost cost(const data::Batch& batch, const CostOptions& options) = 0;
};

}  // namespace fovea::models
