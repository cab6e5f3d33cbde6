#include "fovea/tensor/cross_entropy.h"

#include "fovea/kernels/cross_entropy.h"
#include "fovea/tensor/rows.h"

namespace fovea::tensor {

double cross_entropy_scale(const Tensor& targets, int64_t rows, int64_t classes,
                           const CrossEntropyOptions& options, const char* who) {
  check(options.label_smoothing >= 0 && options.label_smoothing <= 1, who,
        "label smoothing is {}: expected 0 to 1", options.label_smoothing);
  check(targets.defined() && targets.dtype() == DType::kI32, who, "targets are not i32");
  check(targets.size() == rows, who, "{} targets for {} rows of logits", targets.size(), rows);
  int64_t counted = 0;
  const int32_t* target = targets.data<int32_t>();
  for (int64_t r = 0; r < rows; ++r) {
    if (target[r] == options.ignore_index) continue;
    if (target[r] < 0 || target[r] >= classes)
      fail(who, "the target of row {} is {}: expected 0 to {}, or {} to ignore the row", r, target[r],
           classes - 1, options.ignore_index);
    ++counted;
  }
  if (counted == 0) return 0;
  return options.reduction == Reduction::kMean ? 1.0 / static_cast<double>(counted) : 1.0;
}

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, const CrossEntropyOptions& options) {
  const auto [rows, classes] = rows_of(logits, "cross_entropy");
  CrossEntropy result;
  result.scale = cross_entropy_scale(targets, rows, classes, options, "cross_entropy");
  result.lse = Tensor::empty({rows}, logits.dtype());
  result.loss = Tensor::empty({}, logits.dtype());
  const Tensor losses = Tensor::empty({rows}, logits.dtype());
  const kernels::CrossEntropyShape shape{rows, classes, options.label_smoothing, options.ignore_index};
  for_float(logits.dtype(), "cross_entropy", [&](auto t) {
    using T = decltype(t);
    kernels::cross_entropy_rows(logits.data<T>(), targets.data<int32_t>(), losses.data<T>(),
                                result.lse.data<T>(), shape);
    double sum = 0;
    for (const T loss : losses.span<T>()) sum += loss;
    *result.loss.data<T>() = static_cast<T>(sum * result.scale);
  });
  return result;
}

}  // namespace fovea::tensor
