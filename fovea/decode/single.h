// One hypothesis, one token chosen at each step:
//   greedy    y_t = argmax_v p(v | y_1 .. y_t-1, x)
//   sampling  y_t ~ p(v | y_1 .. y_t-1, x), the distribution sharpened and cut as the options ask
#pragma once

#include "fovea/decode/draw.h"
#include "fovea/decode/method.h"

namespace fovea::decode {

class Single final : public Method {
 public:
  using Method::Method;
  void choose(std::span<float> logits, std::span<const run::Looked> looked) override;
  bool settle() override;
  NBest results() override;

 private:
  Hypothesis hypothesis_;
  Drawn chosen_;
  run::Looked looked_;
};

}  // namespace fovea::decode
