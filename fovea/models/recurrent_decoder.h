// The recurrent decoder of models that read something and write tokens. What it looks at are annotations: states of words, or of the
// places of a picture.
//
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

// What its attention is, to annotations of this width. Where keys are narrower than those, a product stands before them.
nn::AttentionOptions attention_options(const RnnOptions& options, int64_t read_width);

class RecurrentDecoder {
 public:
  // Of the options, those of the decoder count. The embeddings of what it writes are drawn by the caller.
  RecurrentDecoder(const RnnOptions& options, nn::Embedding tokens, int64_t read_width, uint64_t seed,
                   Random& random);

  // What is to be written from.
  struct Annotations {
    Var values;      // [B, S, read_width]
    Var last;        // [B, read_width]: a summary
    Tensor lengths;  // i32 [B]
  };
  // How a batch is learned.
  struct Request {
    nn::Noise noise, source_words, target_words;  // the latter fall on whole words
    bool training = false, want_scores = false;
    bool softly = false;  // hard attention reads softly
  };
  Request request(const data::Batch& batch, const CostOptions& options) const;
  Cost cost(const data::Batch& batch, const Annotations& annotations, const Request& request,
            const CostOptions& options);

  nn::Embedding& tokens() { return tokens_; }
  // All parameters but those of tokens().
  void collect(nn::ParameterList& list);
  std::vector<NamedTensor> buffers();

 private:
  friend class RnnStepper;

  struct Encoded : Annotations {
    nn::DecoderCells::State start;
    nn::KeysValues cross;      // of the attention to the annotations
    nn::KeysValues posterior;  // where the variational estimator's posterior looks
  };
  // What a whole target was taught as, T steps of B rows.
  struct Taught {
    Var outputs;            // [T, B, ..]: what the output layer sees
    Var scores, posterior;  // [B, H, T, S], where asked for
    Tensor at;              // hard: the positions read, i32 [B, H, T]
    Var costs;              // exact: of every position, [B, 1, T, S]
  };
  // Hard attention is about to learn from what it draws.
  bool draws(const Request& request) const {
    return options_.weigh == "hard" && request.training && !request.softly;
  }

  bool is_spread(const Request& request) const {
    return options_.doubly_stochastic > 0 && request.training && attention_;
  }
  bool is_guided(const data::Batch& batch, const CostOptions& options) const {
    return options.guided > 0 && batch.alignment.defined() && attention_;
  }

  Encoded encode(const Annotations& annotations, const Request& request);
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
  nn::Embedding tokens_;
  std::optional<nn::Linear> start_, key_, readout_, output_, posterior_query_;
  std::optional<nn::DecoderCells> cells_;
  std::optional<nn::Attention> attention_, posterior_;
  nn::Parameter output_bias_;  // of tied embeddings
  nn::Baseline baseline_;
};

// i32 [B, L] as [L, B].
Tensor time_first(const Tensor& ids);

}  // namespace fovea::models
