// Recurrent encoder-decoders: the bottleneck (Cho et al. 2014, Sutskever et al. 2014), attention before the cell (Bahdanau et
// al. 2015) and after it (Luong et al. 2015).
//
//   encoder      h_1 .. h_S from the words, read from one end or both; last = where the directions end
//   start        s_0 = tanh(W last + b)
//   bottleneck   s_t = cell(s_{t-1}, [y_{t-1}; last])                      o_t = [s_t; last]
//   bahdanau     c_t = attend(s_{t-1}, h), s_t = cell(s_{t-1}, [y_{t-1}; c_t])   o_t = [s_t; c_t]
//   luong        s_t = cell(s_{t-1}, y_{t-1}), c_t = attend(s_t, h)        o_t = s~_t = tanh(W [s_t; c_t])
//                with input feeding s_t = cell(s_{t-1}, [y_{t-1}; s~_{t-1}])
//   logits       W o_t + b, or W tanh(W_r o_t + b_r) + b with a readout
#pragma once

#include <optional>

#include "fovea/models/net.h"
#include "fovea/models/rnn_options.h"
#include "fovea/nn/attention.h"
#include "fovea/nn/embedding.h"
#include "fovea/nn/recurrent.h"
#include "fovea/nn/weigh/estimators.h"

namespace fovea::models {

// What its attention to the source is. Where keys are narrower than what the encoder reads, a product stands before them.
nn::AttentionOptions attention_options(const RnnOptions& options);

class RnnSeq2Seq final : public Net {
 public:
  RnnSeq2Seq(const RnnOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  std::vector<NamedTensor> buffers() override;
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

  const RnnOptions& options() const { return options_; }

 private:
  friend class RnnStepper;

  // A source, read.
  struct Encoded {
    Var values;      // [B, S, encoder width]
    Var last;        // [B, encoder width]
    Tensor lengths;  // i32 [B]
    nn::DecoderCells::State start;
    nn::KeysValues cross;      // of the attention to the source
    nn::KeysValues posterior;  // where the variational estimator's posterior looks
  };
  // What a whole target was taught as, T steps of B rows.
  struct Taught {
    Var outputs;            // [T, B, ..]: what the output layer sees
    Var scores, posterior;  // [B, H, T, S], where asked for
    Tensor at;              // hard: the positions read, i32 [B, H, T]
    Var costs;              // exact: of every position, [B, 1, T, S]
  };
  struct Request {
    nn::Noise noise;
    bool training = false, want_scores = false;
    bool softly = false;  // hard attention reads softly
  };
  // Hard attention is about to learn from what it draws.
  bool draws(const Request& request) const {
    return options_.weigh == "hard" && request.training && !request.softly;
  }

  Encoded encode(const data::SourceBatch& source, const Request& request);
  Taught teach(const data::Batch& batch, const Encoded& encoded, const Request& request);
  // All steps at once, where no step's input depends on what an earlier one read.
  Taught teach_at_once(const Var& words, const Encoded& encoded, const Request& request);
  Taught teach_by_steps(const data::Batch& batch, const Var& words, const Encoded& encoded,
                        const Request& request);
  nn::AttentionCall call(const Encoded& encoded, const Request& request, int64_t step) const;
  static nn::Noise cell_noise(const Request& request);
  // Of states [.., H] and contexts [.., C], what the output layer sees.
  Var outputs_of(const Var& states, const Var& contexts, const Request& request);
  Var output_weight();
  Var output_bias();
  Var hard_term(const data::Batch& batch, const Taught& taught);

  RnnOptions options_;
  uint64_t seed_;  // of noise
  std::optional<nn::Embedding> source_embedding_, target_embedding_;
  std::optional<nn::Recurrent> encoder_;
  std::optional<nn::Linear> start_, key_, readout_, output_, posterior_query_;
  std::optional<nn::DecoderCells> cells_;
  std::optional<nn::Attention> attention_, posterior_;
  nn::Parameter output_bias_;  // of tied embeddings
  nn::Baseline baseline_;
};

}  // namespace fovea::models
