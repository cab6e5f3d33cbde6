// A decoder alone, which continues texts (models/gpt.h), ready to run.
#pragma once

#include "fovea/models/gpt_options.h"
#include "fovea/run/decoder.h"
#include "fovea/run/embedding.h"
#include "fovea/run/stack.h"

namespace fovea::run {

class Gpt final : public Decoder {
 public:
  Gpt(const models::GptOptions& options, Weights& weights, Precision precision);

 protected:
  std::vector<CacheShape> self_shapes() const override { return layers_.self_shapes(); }
  Tensor step(const Step& step) const override;

 private:
  Embedding tokens_;
  Embedding positions_;  // where they are learned
  Stack layers_;
  Norm norm_;
  Linear output_;
};

}  // namespace fovea::run
