// The recurrent net over rows (models/rowrnn.h), ready to run.
#pragma once

#include "fovea/models/rowrnn.h"
#include "fovea/run/linear.h"
#include "fovea/run/picture_encoder.h"
#include "fovea/run/recurrent.h"

namespace fovea::run {

class RowRnn final : public PictureEncoder {
 public:
  RowRnn(const models::RowRnnOptions& options, Weights& weights, Precision precision);

 protected:
  Tensor vectors(const Tensor& pictures) const override;
  Tensor labels_of(const Tensor& vectors) const override { return classifier_(vectors); }

 private:
  RecurrentEncoder encoder_;
  Linear classifier_;
};

}  // namespace fovea::run
