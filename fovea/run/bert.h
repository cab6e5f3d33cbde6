// An encoder alone (models/bert.h), ready to run.
#pragma once

#include "fovea/models/bert_options.h"
#include "fovea/run/embedding.h"
#include "fovea/run/encoder.h"
#include "fovea/run/stack.h"

namespace fovea::run {

class Bert final : public Encoder {
 public:
  Bert(const models::BertOptions& options, Weights& weights, Precision precision);

  Tensor states(std::span<const Text> texts, const LookAt* at, std::vector<Looked>* looked) const override;
  Tensor logits(std::span<const Text> texts, std::span<const int32_t> rows) const override;
  Tensor embed(std::span<const Text> texts) const override;

 private:
  bool cls_pooling_, normalize_, pooler_relu_;
  int64_t segment_count_, first_position_;
  kernels::Activation activation_;
  Embedding tokens_, positions_, segments_;
  Norm norm_, head_norm_;
  Stack layers_;
  Linear pooler_, transform_, output_;
};

}  // namespace fovea::run
