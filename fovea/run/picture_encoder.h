// A model that looks at pictures, and labels them where it has labels, ready to run. Immutable, and safe to use from any number of threads. A picture's numbers
// have the same bits whatever is looked at beside it.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/pictures/input.h"
#include "fovea/run/runner.h"
#include "fovea/tensor/tensor.h"

namespace fovea::run {

struct PictureEncoderInfo {
  data::PictureInput input;         // how pictures are prepared
  int64_t width = 0;                // of a picture's vector
  std::vector<std::string> labels;  // none: it has no head
};

class PictureEncoder : public Runner {
 public:
  const PictureEncoderInfo& info() const { return info_; }

  // Pictures f32 [pictures, size, size, channels], as data::prepared() makes them; others throw.
  // One vector each, f32 [pictures, width].
  Tensor embed(const Tensor& pictures) const;
  // f32 [pictures, labels]. Throws for a model without labels.
  Tensor logits(const Tensor& pictures) const;
  // The last hidden states, f32 [pictures, tokens, width]. Throws for a model that has none.
  Tensor states(const Tensor& pictures) const;

 protected:
  virtual Tensor vectors(const Tensor& pictures) const = 0;
  virtual Tensor labels_of(const Tensor& vectors) const = 0;
  virtual Tensor scores(const Tensor& pictures) const { return labels_of(vectors(pictures)); }
  virtual Tensor last_states(const Tensor& pictures) const;

  PictureEncoderInfo info_;
};

}  // namespace fovea::run
