// The Transformer over patches (models/vit.h), ready to run.
#pragma once

#include "fovea/models/vit_options.h"
#include "fovea/run/linear.h"
#include "fovea/run/norm.h"
#include "fovea/run/picture_encoder.h"
#include "fovea/run/stack.h"

namespace fovea::run {

class Vit final : public PictureEncoder {
 public:
  // Names of tensors begin with `prefix`.
  Vit(const models::VitOptions& options, Weights& weights, Precision precision,
      const std::string& prefix = "");

 protected:
  Tensor vectors(const Tensor& pictures) const override;
  Tensor labels_of(const Tensor& vectors) const override { return classifier_(vectors); }
  std::vector<Looked> looks(const Tensor& pictures, const LookAt& at) const override;
  Tensor scores(const Tensor& pictures) const override;
  Tensor last_states(const Tensor& pictures) const override;

 private:
  // What the last layer makes of all tokens, [pictures * tokens, width].
  Tensor tokens_of(const Tensor& pictures, const Stack::Looking& looking) const;
  // norm(x) of one token of each picture.
  Tensor token(const Tensor& x, int64_t number) const;

  int64_t patch_size_, patches_, tokens_, dim_model_;
  Tensor first_;      // [first tokens, width]: the class token at its position, and the second one
  Tensor positions_;  // [patches, width]: those of the patches
  Linear embed_;      // [width, patch * patch * channels]
  Norm first_norm_;
  Stack layers_;
  Norm norm_;
  Linear classifier_, teacher_classifier_, projection_;
};

}  // namespace fovea::run
