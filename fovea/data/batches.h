// The batches of a training run, epoch after epoch.
#pragma once

#include <cstdint>

#include "fovea/data/batch.h"
#include "fovea/data/batch_plan.h"
#include "fovea/data/dataset.h"
#include "fovea/data/make_batch.h"

namespace fovea::data {

// Where training is in its data: the batch that comes next.
struct Position {
  int64_t epoch = 0, batch = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// The batches of epoch 0, 1, 2, ... without an end. From any position they are the same as they would have been
// without a stop. The dataset must outlive it.
class BatchStream {
 public:
  // Throws for a position that the data and options do not have.
  BatchStream(const Dataset& data, const BatchOptions& options, Position at = {});

  // The batch that next() will give; {epoch + 1, 0} as soon as the last of an epoch was given.
  const Position& position() const { return position_; }
  // How many batches its epoch has.
  int64_t epoch_size() const { return plan_.size(); }
  Batch next();

 private:
  const Dataset* data_;
  BatchOptions options_;
  Position position_;
  BatchPlan plan_;
};

}  // namespace fovea::data
