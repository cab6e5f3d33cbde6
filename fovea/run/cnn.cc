#include "fovea/run/cnn.h"

#include "fovea/tensor/pooling.h"

namespace fovea::run {

Cnn::Cnn(const models::CnnOptions& o, Weights& weights, Precision precision)
    : encoder_(weights, "encoder.", o.channels, o),
      classifier_(weights, "classifier", o.out(), static_cast<int64_t>(o.labels.size()), precision) {
  precision_ = precision;
  held_ = encoder_.held();
  held_ += classifier_.held();
  info_ = {.input = o.input(), .width = o.out(), .labels = o.labels};
}

Tensor Cnn::vectors(const Tensor& pictures) const { return tensor::global_average_pool(encoder_(pictures)); }

}  // namespace fovea::run
