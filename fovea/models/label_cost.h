// The cost of models that label pictures.
#pragma once

#include "fovea/models/net.h"

namespace fovea::models {

// Of logits [B, labels] for batch.target_out [B, 1].
Cost cost_of_labels(const Var& logits, const data::Batch& batch, const CostOptions& options);

}  // namespace fovea::models
