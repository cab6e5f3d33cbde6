#include "fovea/run/rowrnn.h"

#include "fovea/nn/recurrent.h"

namespace fovea::run {

RowRnn::RowRnn(const models::RowRnnOptions& o, Weights& weights, Precision precision)
    : encoder_(weights, "encoder.", nn::cell_named(o.cell), o.row_width(), o.dim_rnn, o.enc_depth, false,
               precision),
      classifier_(weights, "classifier", o.dim_rnn, static_cast<int64_t>(o.labels.size()), precision) {
  precision_ = precision;
  held_ = encoder_.held();
  held_ += classifier_.held();
  info_ = {.input = o.input(), .width = o.dim_rnn, .labels = o.labels};
}

Tensor RowRnn::vectors(const Tensor& pictures) const {
  const int64_t count = pictures.dim(0), rows = pictures.dim(1);
  std::vector<int32_t> starts = {0}, places;
  for (int64_t b = 0; b < count; ++b) {
    for (int64_t i = 0; i < rows; ++i) places.push_back(static_cast<int32_t>(i));
    starts.push_back(static_cast<int32_t>((b + 1) * rows));
  }
  return encoder_(pictures.reshape({count * rows, -1}), {starts, places}).last;
}

}  // namespace fovea::run
