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

std::vector<GazePath> PictureEncoder::gaze(const Tensor& pictures) const {
  check(info_.glimpses > 0, "pictures", "the model sees pictures as a whole: expected one whose eye moves");
  data::check_prepared(pictures, info_.input, "pictures");
  return paths(pictures);
}

std::vector<Looked> PictureEncoder::look(const Tensor& pictures, const LookAt& at) const {
  check(info_.layers > 0, "look", "this model has no attention to look at");
  data::check_prepared(pictures, info_.input, "look");
  return looks(pictures, at);
}

std::vector<Looked> PictureEncoder::looks(const Tensor&, const LookAt&) const { return {}; }

}  // namespace fovea::run
