// The recurrent decoder of a net, step by step.
#pragma once

#include <optional>

#include "fovea/models/recurrent_decoder.h"

namespace fovea::models {

class RnnStepper {
 public:
  // For `steps` steps of `rows` rows.
  RnnStepper(RecurrentDecoder& model, int64_t steps, int64_t rows);

  struct State {
    nn::DecoderCells::State cells;
    Var fed;  // input feeding: the last s~
  };
  State start(const RecurrentDecoder::Encoded& encoded) const;

  // The embedded tokens of the steps to come, [T, rows, E].
  void read(const Var& words);

  struct Step {
    Var hidden, context;    // [rows, H] and [rows, C]
    nn::Attended attended;  // where it looked
    Tensor at;              // hard: the position read, i32 [B, H, 1]
    Var posterior;          // variational: the scores it was drawn from
  };
  // Token t of those read.
  Step operator()(int64_t t, const RecurrentDecoder::Encoded& encoded,
                  const RecurrentDecoder::Request& request, State& state, const Var& hint = {});

  // The cost of token t had each source position been read: [B, 1, 1, S]. targets i32 [B, T].
  Var cost_of_each(int64_t t, const RecurrentDecoder::Encoded& encoded,
                   const RecurrentDecoder::Request& request, const State& state, const Tensor& targets);

 private:
  // c_t for queries [rows, H].
  void look(const Var& query, const RecurrentDecoder::Encoded& encoded,
            const RecurrentDecoder::Request& request, int64_t position, const Var& hint, Step& step);

  RecurrentDecoder* model_;
  nn::DecoderCells::Steps cells_;
  // For cost_of_each: of rows times source positions, or of rows.
  std::optional<nn::DecoderCells::Steps> cells_for_each_;
  std::optional<autograd::StepLinear> readout_;  // input feeding
  Var words_;
};

}  // namespace fovea::models
