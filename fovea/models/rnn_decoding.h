// A recurrent decoder, step by step: the same for a model that is taught and for one that runs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/models/rnn_seq2seq.h"

namespace fovea::models {

class RnnStepper {
 public:
  // For `steps` steps of `rows` rows; without a tape, for any number.
  RnnStepper(RnnSeq2Seq& model, int64_t steps, int64_t rows);

  struct State {
    nn::DecoderCells::State cells;
    Var fed;  // input feeding: the last s~
  };
  // K prefixes for each sentence.
  State start(const RnnSeq2Seq::Encoded& encoded, int64_t beams) const;

  // The words of the steps to come, [T, rows, E].
  void read(const Var& words);

  struct Step {
    Var hidden, context;    // [rows, H] and [rows, C]
    nn::Attended attended;  // where it looked; rows are [B, K]
    Tensor at;              // hard: the position read, i32 [B, H, K]
    Var posterior;          // variational: the scores it was drawn from
  };
  // Word t of those read, as target position `position` (t where not given).
  Step operator()(int64_t t, const RnnSeq2Seq::Encoded& encoded, const RnnSeq2Seq::Request& request,
                  State& state, const Var& hint = {}, std::optional<int64_t> position = {});

  // The cost of word t had each source position been read: [B, 1, 1, S]. targets i32 [B, T].
  Var cost_of_each(int64_t t, const RnnSeq2Seq::Encoded& encoded, const RnnSeq2Seq::Request& request,
                   const State& state, const Tensor& targets);

 private:
  // c_t for queries [rows, H].
  void look(const Var& query, const RnnSeq2Seq::Encoded& encoded, const RnnSeq2Seq::Request& request,
            int64_t position, const Var& hint, Step& step);

  RnnSeq2Seq* model_;
  nn::DecoderCells::Steps cells_;
  // For cost_of_each: of rows times source positions, or of rows.
  std::optional<nn::DecoderCells::Steps> cells_for_each_;
  std::optional<autograd::StepLinear> readout_;  // input feeding
  Var words_;
};

// Weights packed for running.
struct RnnSeq2Seq::Ready {
  explicit Ready(RnnSeq2Seq& model);
  RnnStepper stepper;
  std::optional<autograd::StepLinear> readout;
  autograd::StepLinear output;
};

class RnnDecoding final : public Decoding {
 public:
  RnnDecoding(RnnSeq2Seq& model, const data::SourceBatch& source, int64_t beams);
  int64_t sentences() const override { return encoded_.lengths.dim(0); }
  int64_t beams() const override { return beams_; }
  Tensor step(const Tensor& words, Tensor* look) override;
  void reorder(const Tensor& parents) override;
  void keep(const Tensor& sentences) override;

 private:
  // Rows of the state, [N, rows, H], chosen by number.
  void choose_rows(const std::vector<int32_t>& rows);

  RnnSeq2Seq* model_;
  std::shared_ptr<RnnSeq2Seq::Ready> ready_;
  RnnSeq2Seq::Encoded encoded_;
  RnnStepper::State state_;
  int64_t beams_, position_ = 0;
};

}  // namespace fovea::models
