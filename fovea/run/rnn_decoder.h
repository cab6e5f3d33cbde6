// The recurrent decoder (models/recurrent_decoder.h), ready to run; what it reads is up to the classes below.
#pragma once

#include "fovea/models/rnn_options.h"
#include "fovea/run/attention.h"
#include "fovea/run/decoder.h"
#include "fovea/run/embedding.h"
#include "fovea/run/recurrent.h"

namespace fovea::run {

class RnnDecoder : public Decoder {
 protected:
  // Of the options, those of the decoder count; `tokens` is the name of its embeddings.
  RnnDecoder(const models::RnnOptions& options, const std::string& tokens, int64_t read_width,
             Weights& weights, Precision precision);

  std::vector<CacheShape> cross_shapes() const override;
  Tensor step(const Step& step) const override;

  // What sequences start from: annotations [rows, read_width], source after source, and a summary [sources, read_width] of each.
  std::vector<std::shared_ptr<Source>> sources_of(const Tensor& annotations, const Tensor& last,
                                                  const Ragged& ragged, Cache& cross) const;

 private:
  enum class Kind : uint8_t { kBottleneck, kBahdanau, kLuong };

  // One token of each of some sequences: rows of the states [rows, state_width()] are changed. Returns what the output layer reads.
  Tensor one_step(std::span<const int32_t> tokens, std::span<const int32_t> positions,
                  std::span<const Source* const> sources, const Tensor& states, const Watch& watch) const;
  Tensor context_of(const Tensor& query, std::span<const int32_t> positions,
                    std::span<const Source* const> sources, const Watch& watch) const;
  // The numbers of a sequence's state: the layers' states, and what is fed back.
  int64_t state_width() const { return cells_width_ + fed_width_; }

  Kind kind_;
  bool feeds_;  // luong: the last readout is part of the next input
  int64_t width_, read_width_, cells_width_, fed_width_ = 0, context_width_;
  Embedding tokens_;
  Linear start_, key_;
  Attention attention_;
  std::vector<DecoderCell> cells_;
  Linear context_;  // the first cell's part of what is read at each step
  Linear readout_, output_;
};

}  // namespace fovea::run
