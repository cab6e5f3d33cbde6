// The convolutional net (models/cnn.h), ready to run. Its convolutions are f32 in every precision.
#pragma once

#include "fovea/models/cnn.h"
#include "fovea/run/conv_encoder.h"
#include "fovea/run/linear.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::run {

class Cnn final : public PictureEncoder {
 public:
  Cnn(const models::CnnOptions& options, Weights& weights, Precision precision);

 protected:
  Tensor vectors(const Tensor& pictures) const override;
  Tensor labels_of(const Tensor& vectors) const override { return classifier_(vectors); }

 private:
  ConvEncoder encoder_;
  Linear classifier_;
};

}  // namespace fovea::run
