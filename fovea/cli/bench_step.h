// One update of a model, on a batch that stays the same: what the groups training and pictures time.
#pragma once

#include <memory>

#include "fovea/cli/bench_cases.h"
#include "fovea/models/net.h"
#include "fovea/train/optimizer.h"

namespace fovea::cli {

// Random tokens, every source and target as long as the others.
data::Batch random_batch(int64_t rows, int64_t source, int64_t target, int64_t vocabulary);

struct StepRecipe {
  train::OptimizerOptions optimizer;
  float label_smoothing = 0;
};

// Cost, gradients, clipping and the optimiser's step. `gflop` counts the products of all three passes.
BenchCase step_case(const char* name, double gflop, std::function<std::unique_ptr<models::Net>()> make,
                    std::function<data::Batch()> batch, StepRecipe recipe);

}  // namespace fovea::cli
