#include "fovea/run/captioner.h"

#include "fovea/tensor/pooling.h"

namespace fovea::run {

Captioner::Captioner(const models::CaptionerOptions& o, Weights& weights, Precision precision)
    : RnnDecoder(o.decoder, "target_embedding.weight", o.out(), weights, precision),
      encoder_(weights, "encoder.", o.channels, o),
      positions_(weights.tensor("positions.weight", {o.places(), o.out()})) {
  held_ += encoder_.held();
  info_.reads_source = info_.reads_pictures = true;
  info_.input = o.input();
  info_.grid = o.grid(o.picture_size);
}

std::vector<std::shared_ptr<Source>> Captioner::encode_pictures(const Tensor& pictures, Cache& cross) const {
  const Tensor grid = encoder_(pictures), last = tensor::global_average_pool(grid);
  const int64_t rows = grid.dim(0), places = positions_.dim(0), numbers = positions_.size();
  Tensor annotations = Tensor::empty({rows * places, positions_.dim(1)});
  std::vector<int32_t> at, starts = {0};
  for (int64_t b = 0; b < rows; ++b) {
    for (int64_t i = 0; i < numbers; ++i)
      annotations.data<float>()[b * numbers + i] =
          grid.data<float>()[b * numbers + i] + positions_.data<float>()[i];
    for (int64_t i = 0; i < places; ++i) at.push_back(static_cast<int32_t>(i));
    starts.push_back(static_cast<int32_t>((b + 1) * places));
  }
  return sources_of(annotations, last, {starts, at}, cross);
}

}  // namespace fovea::run
