// Layer and RMS norms of a model that runs. Immutable.
#pragma once

#include <string>

#include "fovea/nn/norm.h"
#include "fovea/run/weights.h"

namespace fovea::run {

class Norm {
 public:
  Norm() = default;  // leaves x as it is
  // NAME.weight and, where there is one, NAME.bias.
  Norm(Weights& weights, const std::string& name, int64_t width, const nn::NormOptions& options);

  bool defined() const { return gain_.defined(); }
  // x [rows, width]; y may be x.
  void operator()(const Tensor& x, const Tensor& y) const;

 private:
  nn::NormOptions options_;
  Tensor gain_, bias_;
};

}  // namespace fovea::run
