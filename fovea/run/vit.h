// The Transformer over patches (models/vit.h), ready to run.
#pragma once

#include "fovea/models/vit.h"
#include "fovea/run/linear.h"
#include "fovea/run/norm.h"
#include "fovea/run/picture_encoder.h"
#include "fovea/run/stack.h"

namespace fovea::run {

class Vit final : public PictureEncoder {
 public:
  Vit(const models::VitOptions& options, Weights& weights, Precision precision);

 protected:
  Tensor vectors(const Tensor& pictures) const override;
  Tensor labels_of(const Tensor& vectors) const override { return classifier_(vectors); }
  std::vector<Looked> looks(const Tensor& pictures, const LookAt& at) const override;

 private:
  // The class token and the patches of each picture after the last layer, [pictures * (1 + patches), width].
  Tensor states(const Tensor& pictures, const Stack::Looking& looking) const;

  int64_t patch_size_, patches_;
  Tensor first_;      // [width]: the class token at its position
  Tensor positions_;  // [patches, width]: those of the patches
  Linear embed_;      // [width, patch * patch * channels]
  Stack layers_;
  Norm norm_;
  Linear classifier_;
};

}  // namespace fovea::run
