#include "fovea/data/batches.h"

#include "fovea/base/error.h"

namespace fovea::data {

void BatchStream::check_position() const {
  check(position_.batch < epoch_size(), "data",
        "batch {} of epoch {}, which has {}: the data or the sizes of batches are not those of the run that "
        "stopped there",
        position_.batch, position_.epoch, epoch_size());
}

PairStream::PairStream(const Dataset& data, const BatchOptions& options, Position at)
    : BatchStream(at), data_(&data), options_(options) {
  check(at.epoch >= 0 && at.batch >= 0, "data", "batch {} of epoch {}: expected 0 or more", at.batch,
        at.epoch);
  plan_ = plan_epoch(data, options, at.epoch);
  check_position();
}

}  // namespace fovea::data
