// Recurrent encoder-decoders (models/rnn_seq2seq.h), ready to run.
#pragma once

#include "fovea/run/rnn_decoder.h"

namespace fovea::run {

class Rnn final : public RnnDecoder {
 public:
  Rnn(const models::RnnOptions& options, Weights& weights, Precision precision);

 protected:
  std::vector<std::shared_ptr<Source>> encode(std::span<const std::vector<int32_t>> sources, Cache& cross,
                                              const LookAt* at, std::vector<Looked>* looked) const override;

 private:
  Embedding source_tokens_;
  RecurrentEncoder encoder_;
};

}  // namespace fovea::run
