#include "fovea/run/picture_encoder.h"

#include "fovea/base/error.h"

namespace fovea::run {

Tensor PictureEncoder::embed(const Tensor& pictures) const {
  data::check_prepared(pictures, info_.input, "pictures");
  return vectors(pictures);
}

Tensor PictureEncoder::logits(const Tensor& pictures) const {
  check(!info_.labels.empty(), "pictures",
        "this model has no labels: it makes hidden states and vectors of pictures");
  data::check_prepared(pictures, info_.input, "pictures");
  return scores(pictures);
}

Tensor PictureEncoder::states(const Tensor& pictures) const {
  data::check_prepared(pictures, info_.input, "pictures");
  return last_states(pictures);
}

Tensor PictureEncoder::last_states(const Tensor&) const {
  fail("pictures", "this model has no hidden states of tokens: it makes logits and vectors");
}

}  // namespace fovea::run
