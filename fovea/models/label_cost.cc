#include "fovea/models/label_cost.h"

#include "fovea/autograd/loss.h"

namespace fovea::models {

Cost cost_of_labels(const Var& logits, const data::Batch& batch, const CostOptions& options) {
  CrossEntropyOptions loss;
  loss.label_smoothing = options.label_smoothing;
  loss.reduction = Reduction::kSum;
  Cost cost;
  cost.tokens = batch.target_tokens;
  cost.total = autograd::cross_entropy(logits, batch.target_out.reshape({batch.target_out.size()}), loss);
  cost.cross_entropy = cost.total.value().item();
  return cost;
}

}  // namespace fovea::models
