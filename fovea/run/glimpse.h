// The eye that moves (models/glimpse.h), ready to run: every point is the mean of the policy, so that a picture has one path.
#pragma once

#include "fovea/models/glimpse.h"
#include "fovea/run/linear.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::run {

class Glimpse final : public PictureEncoder {
 public:
  Glimpse(const models::GlimpseOptions& options, Weights& weights, Precision precision);

 protected:
  Tensor vectors(const Tensor& pictures) const override { return look(pictures, nullptr); }
  Tensor labels_of(const Tensor& vectors) const override { return classifier_(vectors); }
  std::vector<GazePath> paths(const Tensor& pictures) const override;

 private:
  // The last states [pictures, width].
  Tensor look(const Tensor& pictures, std::vector<GazePath>* paths) const;

  int64_t glimpses_, glimpse_size_, scales_, glimpse_width_;
  Linear what_, where_, join_, input_, state_, classifier_, policy_, mean_;
};

}  // namespace fovea::run
