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
// without a stop.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  // The batch that next() will give; {epoch + 1, 0} as soon as the last of an epoch was given.
  const Position& position() const { return position_; }
  // How many batches its epoch has.
  virtual int64_t epoch_size() const = 0;
  Batch next() {
    Batch batch = batch_at(position_);
    if (++position_.batch == epoch_size()) {
      position_ = {position_.epoch + 1, 0};
      begin_epoch(position_.epoch);
    }
    return batch;
  }

 protected:
  explicit BatchStream(Position at) : position_(at) {}
  // Throws for a position that the data does not have.
  void check_position() const;

 private:
  virtual Batch batch_at(const Position& position) = 0;
  virtual void begin_epoch(int64_t) {}

  Position position_;
};

// Pairs of lines. The dataset must outlive it.
class PairStream final : public BatchStream {
 public:
  PairStream(const Dataset& data, const BatchOptions& options, Position at = {});
  int64_t epoch_size() const override { return plan_.size(); }

 private:
  Batch batch_at(const Position& position) override {
    return make_batch(*data_, plan_.batch(position.batch));
  }
  void begin_epoch(int64_t epoch) override { plan_ = plan_epoch(*data_, options_, epoch); }

  const Dataset* data_;
  BatchOptions options_;
  BatchPlan plan_;
};

}  // namespace fovea::data
