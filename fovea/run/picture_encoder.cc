#include "fovea/run/picture_encoder.h"

namespace fovea::run {

Tensor PictureEncoder::embed(const Tensor& pictures) const {
  data::check_prepared(pictures, info_.input, "pictures");
  return vectors(pictures);
}

Tensor PictureEncoder::logits(const Tensor& pictures) const { return labels_of(embed(pictures)); }

}  // namespace fovea::run
