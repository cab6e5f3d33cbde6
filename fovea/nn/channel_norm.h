// Batch norm and group norm of pictures [B, height, width, channels], with their learned gain and bias, which start at 1 and 0.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fovea/autograd/channel_norm.h"
#include "fovea/nn/parameter.h"

namespace fovea::nn {

// What a layer remembers and no optimiser changes, by name. The tensors are changed in place: a checkpoint stores and fills them.
using StateList = std::vector<std::pair<std::string, Tensor>>;

// In training, numbers are normalised by the batch's mean and variance, and the running ones move towards them:
//   running = (1 - momentum) running + momentum batch,  with the variance divided by the count - 1
// Otherwise by the running ones, which start at 0 and 1. One thread at a time in training; any number otherwise.
class BatchNorm {
 public:
  explicit BatchNorm(int64_t channels, double eps = 1e-5, double momentum = 0.1);

  autograd::Var operator()(const autograd::Var& x, bool is_training);
  void collect(const std::string& prefix, ParameterList& list);
  void collect_state(const std::string& prefix, StateList& list);  // running_mean, running_var

 private:
  Parameter weight_, bias_;
  Tensor running_mean_, running_variance_;
  double eps_, momentum_;
};

class GroupNorm {
 public:
  GroupNorm(int64_t groups, int64_t channels, double eps = 1e-5);

  autograd::Var operator()(const autograd::Var& x);
  void collect(const std::string& prefix, ParameterList& list);

 private:
  Parameter weight_, bias_;
  int64_t groups_;
  double eps_;
};

}  // namespace fovea::nn
