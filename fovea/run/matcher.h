// A model that reads texts and looks at pictures, and makes vectors of both that can be compared. Immutable, and safe to use from any number
// of threads.
#pragma once

#include "fovea/run/encoder.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::run {

class Matcher : public Runner {
 public:
  virtual const Encoder& texts() const = 0;
  virtual const PictureEncoder& pictures() const = 0;
  // How well a text matches a picture: scale() times the cosine of their vectors.
  float scale() const { return scale_; }

 protected:
  float scale_ = 1;
};

}  // namespace fovea::run
