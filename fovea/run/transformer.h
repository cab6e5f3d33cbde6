// The Transformer that turns one sequence into another (models/transformer.h), ready to run.
#pragma once

#include "fovea/models/transformer_options.h"
#include "fovea/run/decoder.h"
#include "fovea/run/embedding.h"
#include "fovea/run/stack.h"

namespace fovea::run {

class Transformer final : public Decoder {
 public:
  Transformer(const models::TransformerOptions& options, Weights& weights, Precision precision);

 protected:
  std::vector<CacheShape> self_shapes() const override { return decoder_.self_shapes(); }
  std::vector<CacheShape> cross_shapes() const override { return decoder_.cross_shapes(); }
  std::vector<std::shared_ptr<Source>> encode(std::span<const std::vector<int32_t>> sources, Cache& cross,
                                              const LookAt* at, std::vector<Looked>* looked) const override;
  Tensor step(const Step& step) const override;

 private:
  // Tokens as vectors that know their places. With `zero_start` the token at position 0 is nothing but its place.
  Tensor embed(const Embedding& table, const Embedding& learned, std::span<const int32_t> ids,
               std::span<const int32_t> positions, bool zero_start) const;

  int64_t width_;
  bool scaled_, sinusoidal_, starts_from_zero_;
  Embedding source_tokens_, target_tokens_, source_positions_, target_positions_;
  Stack encoder_, decoder_;
  Norm encoder_norm_, decoder_norm_;
  Linear output_;
};

}  // namespace fovea::run
