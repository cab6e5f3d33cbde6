// Recurrent encoder-decoders: the bottleneck (Cho et al. 2014, Sutskever et al. 2014), attention before the cell (Bahdanau et
// al. 2015) and after it (Luong et al. 2015).
//
//   encoder      h_1 .. h_S from the words, read from one end or both; last = where the directions end
//   decoder      recurrent_decoder.h
#pragma once

#include <optional>

#include "fovea/models/recurrent_decoder.h"

namespace fovea::models {

class RnnSeq2Seq final : public Net {
 public:
  RnnSeq2Seq(const RnnOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<NamedTensor> buffers() override { return decoder_->buffers(); }
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

  const RnnOptions& options() const { return options_; }

 private:
  RecurrentDecoder::Annotations encode(const data::SourceBatch& source,
                                       const RecurrentDecoder::Request& request);

  RnnOptions options_;
  std::optional<nn::Embedding> source_embedding_;
  std::optional<nn::Recurrent> encoder_;
  std::optional<RecurrentDecoder> decoder_;
};

// The width of what its encoder gives.
int64_t read_width(const RnnOptions& options);

}  // namespace fovea::models
