// One update: gradients of some batches, summed, change the weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/models/net.h"
#include "fovea/train/optimizer.h"

namespace fovea::train {

struct Updated {
  double cross_entropy = 0;  // sum over target tokens
  int64_t tokens = 0;
  float gradient_norm = 0;  // before clipping; of the mean cost of a token
  double learning_rate = 0;
  bool skipped = false;  // loss or gradient was not finite: nothing was changed
};

class Updater {
 public:
  struct Options {
    float label_smoothing = 0, guided = 0;
  };
  // All of them must outlive it. Moves the net's parameters into one buffer and their gradients into another (nn/parameter_buffer.h),
  // where they then stay.
  Updater(models::Net& net, Optimizer& optimizer, Options options);

  // The gradient is that of the cost of all batches divided by the number of all their target tokens: as one large batch
  // would have it. The noise of batch i is that of step first_step + i.
  // `done`: the share of the run that is over.
  Updated operator()(std::span<const data::Batch> batches, int64_t first_step, double learning_rate,
                     double done = 0);

 private:
  void keep_buffers();
  void restore_buffers();

  models::Net& net_;
  Optimizer& optimizer_;
  Options options_;
  nn::ParameterList parameters_;
  std::vector<Tensor> buffers_, kept_;  // the model's own, and copies from before the update
};

}  // namespace fovea::train
