#include "fovea/models/rnn_stepper.h"

#include <algorithm>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/shape_ops.h"

namespace fovea::models {
namespace {

// [rows, ..] as [rows * times, ..], each row `times` times in a row.
Var repeat_rows(const Var& x, int64_t times) {
  if (times == 1) return x;
  const int64_t rows = x.dim(0), width = x.dim(1);
  return autograd::reshape(
      autograd::broadcast_to(autograd::reshape(x, {rows, 1, width}), {rows, times, width}),
      {rows * times, width});
}
// The same for a state [N, rows, H].
Var repeat_state(const Var& x, int64_t times) {
  if (times == 1) return x;
  const int64_t count = x.dim(0), rows = x.dim(1), width = x.dim(2);
  const Var wide =
      autograd::broadcast_to(autograd::reshape(x, {count, rows, 1, width}), {count, rows, times, width});
  return autograd::reshape(wide, {count, rows * times, width});
}

}  // namespace

RnnStepper::RnnStepper(RecurrentDecoder& model, int64_t steps, int64_t rows)
    : model_(&model), cells_(model.cells_->steps(steps, rows)) {
  if (model.options_.input_feeding)
    readout_.emplace(model.readout_->weight(), model.readout_->bias(), steps, rows);
}

RnnStepper::State RnnStepper::start(const RecurrentDecoder::Encoded& encoded) const {
  State state;
  state.cells = encoded.start;
  if (model_->options_.input_feeding)
    state.fed = Tensor::zeros({encoded.lengths.dim(0), model_->options_.readout()}, encoded.values.dtype());
  return state;
}

void RnnStepper::read(const Var& words) {
  words_ = words;
  cells_.read(words);
}

void RnnStepper::look(const Var& query, const RecurrentDecoder::Encoded& encoded,
                      const RecurrentDecoder::Request& request, int64_t position, const Var& hint,
                      Step& step) {
  const int64_t batch = encoded.lengths.dim(0);
  const nn::AttentionCall call = model_->call(encoded, request, position);
  auto rows = [&](const Var& x) { return autograd::reshape(x, {batch, 1, x.dim(1)}); };
  step.attended = (*model_->attention_)(rows(query), encoded.cross, call);
  Var context = step.attended.context;
  step.at = step.attended.choice.at;
  if (hint.defined()) {  // the posterior chooses, the prior learns from it
    const Var asked = autograd::tanh((*model_->posterior_query_)(autograd::concat({query, hint}, -1)));
    const nn::Attended chosen = (*model_->posterior_)(rows(asked), encoded.posterior, call);
    context = chosen.context;
    step.at = chosen.choice.at;
    step.posterior = chosen.scores;
  }
  step.context = autograd::reshape(context, {batch, context.dim(2)});
}

RnnStepper::Step RnnStepper::operator()(int64_t t, const RecurrentDecoder::Encoded& encoded,
                                        const RecurrentDecoder::Request& request, State& state,
                                        const Var& hint) {
  const RnnOptions& o = model_->options_;
  const nn::Noise noise = model_->cell_noise(request);
  Step step;
  if (o.attention == "bahdanau") {
    look(nn::hidden_of(state.cells.back()), encoded, request, t, hint, step);
    step.hidden = cells_(t, step.context, state.cells, noise);
  } else if (o.attention == "luong") {
    step.hidden = cells_(t, state.fed, state.cells, noise);
    look(step.hidden, encoded, request, t, hint, step);
    if (o.input_feeding)
      state.fed = autograd::tanh((*readout_)(autograd::concat({step.hidden, step.context}, -1)));
  } else {
    step.context = encoded.last;
    step.hidden = cells_(t, step.context, state.cells, noise);
  }
  return step;
}

Var RnnStepper::cost_of_each(int64_t t, const RecurrentDecoder::Encoded& encoded,
                             const RecurrentDecoder::Request& request, const State& state,
                             const Tensor& targets) {
  const int64_t batch = encoded.lengths.dim(0), keys = encoded.values.dim(1), rows = batch * keys;
  const Var each = model_->attention_->read_each(encoded.cross);
  const Var contexts = autograd::reshape(each, {rows, each.dim(2)});
  const nn::Noise noise = model_->cell_noise(request);
  Var hidden;
  if (model_->options_.attention == "bahdanau") {
    if (!cells_for_each_) {
      cells_for_each_ = model_->cells_->steps(words_.dim(0), rows);
      const int64_t steps = words_.dim(0), width = words_.dim(2);
      cells_for_each_->read(autograd::reshape(
          repeat_rows(autograd::reshape(words_, {steps * batch, width}), keys), {steps, rows, width}));
    }
    nn::DecoderCells::State wide;
    for (const Var& layer : state.cells) wide.push_back(repeat_state(layer, keys));
    hidden = (*cells_for_each_)(t, contexts, wide, noise);
  } else {  // the state does not depend on what this step reads
    nn::DecoderCells::State next = state.cells;
    if (!cells_for_each_) {
      cells_for_each_ = model_->cells_->steps(words_.dim(0), batch);
      cells_for_each_->read(words_);
    }
    hidden = repeat_rows((*cells_for_each_)(t, state.fed, next, noise), keys);
  }
  const Var outputs = model_->outputs_of(hidden, contexts, request);
  const Var logits = autograd::linear(outputs, model_->output_weight(), model_->output_bias());
  const Tensor wanted = Tensor::empty({rows}, DType::kI32);
  for (int64_t b = 0; b < batch; ++b)
    std::fill_n(wanted.data<int32_t>() + b * keys, keys, targets.data<int32_t>()[b * targets.dim(1) + t]);
  const Var log_probs = autograd::pick(autograd::log_softmax(logits), wanted);
  return autograd::reshape(autograd::neg(log_probs), {batch, 1, 1, keys});
}

}  // namespace fovea::models
