#include "fovea/data/batches.h"

#include "fovea/base/error.h"

namespace fovea::data {

BatchStream::BatchStream(const Dataset& data, const BatchOptions& options, Position at)
    : data_(&data), options_(options), position_(at) {
  check(at.epoch >= 0 && at.batch >= 0, "data", "batch {} of epoch {}: expected 0 or more", at.batch,
        at.epoch);
  plan_ = plan_epoch(data, options, at.epoch);
  check(at.batch < plan_.size(), "data",
        "batch {} of epoch {}, which has {}: the data or the sizes of batches are not those of the run that "
        "stopped there",
        at.batch, at.epoch, plan_.size());
}

Batch BatchStream::next() {
  Batch batch = make_batch(*data_, plan_.batch(position_.batch));
  if (++position_.batch == plan_.size()) {
    position_ = {position_.epoch + 1, 0};
    plan_ = plan_epoch(*data_, options_, position_.epoch);
  }
  return batch;
}

}  // namespace fovea::data
