// The model that says what it sees (models/captioner.h), ready to run. Its convolutions are f32 in every precision.
#pragma once

#include "fovea/models/captioner.h"
#include "fovea/run/conv_encoder.h"
#include "fovea/run/rnn_decoder.h"

namespace fovea::run {

class Captioner final : public RnnDecoder {
 public:
  Captioner(const models::CaptionerOptions& options, Weights& weights, Precision precision);

 protected:
  std::vector<std::shared_ptr<Source>> encode_pictures(const Tensor& pictures, Cache& cross) const override;

 private:
  ConvEncoder encoder_;
  Tensor positions_;  // [places, width]
};

}  // namespace fovea::run
