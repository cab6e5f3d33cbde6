// The loss of a softmax classifier: minus the logarithm of the probability it gives to the target.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea {

enum class Reduction { kMean, kSum };

// As PyTorch's cross_entropy: with label smoothing s, loss = (1 - s) * (-log p[target]) + s * mean over
// classes of -log p.
struct CrossEntropyOptions {
  float label_smoothing = 0;               // in [0, 1]
  int32_t ignore_index = -1;               // rows with this target count for nothing
  Reduction reduction = Reduction::kMean;  // kMean: over the rows that are not ignored
};

namespace tensor {

struct CrossEntropy {
  Tensor loss;   // a scalar; 0 when every row is ignored
  Tensor lse;    // [rows]: log sum e^logits
  double scale;  // d loss / d (loss of one row)
};

// logits [..., V], targets i32 [...]. A target outside [0, V) that is not ignore_index is an error.
CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets,
                           const CrossEntropyOptions& options = {});

// What both forms of the loss need to know: throws for wrong options or targets, and gives the scale above.
double cross_entropy_scale(const Tensor& targets, int64_t rows, int64_t classes,
                           const CrossEntropyOptions& options, const char* who);

}  // namespace tensor
}  // namespace fovea
