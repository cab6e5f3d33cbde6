#include "fovea/models/rnn_decoding.h"

#include <algorithm>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/prefix_rows.h"

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

RnnStepper::RnnStepper(RnnSeq2Seq& model, int64_t steps, int64_t rows)
    : model_(&model), cells_(model.cells_->steps(steps, rows)) {
  if (model.options_.input_feeding)
    readout_.emplace(model.readout_->weight(), model.readout_->bias(), steps, rows);
}

RnnStepper::State RnnStepper::start(const RnnSeq2Seq::Encoded& encoded, int64_t beams) const {
  State state;
  for (const Var& layer : encoded.start) state.cells.push_back(repeat_state(layer, beams));
  if (model_->options_.input_feeding)
    state.fed =
        Tensor::zeros({encoded.lengths.dim(0) * beams, model_->options_.readout()}, encoded.values.dtype());
  return state;
}

void RnnStepper::read(const Var& words) {
  words_ = words;
  cells_.read(words);
}

void RnnStepper::look(const Var& query, const RnnSeq2Seq::Encoded& encoded,
                      const RnnSeq2Seq::Request& request, int64_t position, const Var& hint, Step& step) {
  const int64_t batch = encoded.lengths.dim(0), beams = query.dim(0) / batch;
  const nn::AttentionCall call = model_->call(encoded, request, position);
  auto rows = [&](const Var& x) { return autograd::reshape(x, {batch, beams, x.dim(1)}); };
  step.attended = (*model_->attention_)(rows(query), encoded.memory, call);
  Var context = step.attended.context;
  step.at = step.attended.choice.at;
  if (hint.defined()) {  // the posterior chooses, the prior learns from it
    const Var asked = autograd::tanh((*model_->posterior_query_)(autograd::concat({query, hint}, -1)));
    const nn::Attended chosen = (*model_->posterior_)(rows(asked), encoded.posterior, call);
    context = chosen.context;
    step.at = chosen.choice.at;
    step.posterior = chosen.scores;
  }
  step.context = autograd::reshape(context, {batch * beams, context.dim(2)});
}

RnnStepper::Step RnnStepper::operator()(int64_t t, const RnnSeq2Seq::Encoded& encoded,
                                        const RnnSeq2Seq::Request& request, State& state, const Var& hint,
                                        std::optional<int64_t> position) {
  const RnnOptions& o = model_->options_;
  const int64_t where = position.value_or(t);
  const nn::Noise noise = model_->cell_noise(request);
  Step step;
  if (o.attention == "bahdanau") {
    look(nn::hidden_of(state.cells.back()), encoded, request, where, hint, step);
    step.hidden = cells_(t, step.context, state.cells, noise);
  } else if (o.attention == "luong") {
    step.hidden = cells_(t, state.fed, state.cells, noise);
    look(step.hidden, encoded, request, where, hint, step);
    if (o.input_feeding)
      state.fed = autograd::tanh((*readout_)(autograd::concat({step.hidden, step.context}, -1)));
  } else {
    step.context = repeat_rows(encoded.last, state.cells[0].dim(1) / encoded.lengths.dim(0));
    step.hidden = cells_(t, step.context, state.cells, noise);
  }
  return step;
}

Var RnnStepper::cost_of_each(int64_t t, const RnnSeq2Seq::Encoded& encoded,
                             const RnnSeq2Seq::Request& request, const State& state, const Tensor& targets) {
  const int64_t batch = encoded.lengths.dim(0), keys = encoded.values.dim(1), rows = batch * keys;
  const Var each = model_->attention_->read_each(encoded.memory);
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

RnnSeq2Seq::Ready::Ready(RnnSeq2Seq& model)
    : stepper(model, 0, 0), output(model.output_weight(), model.output_bias(), 0, 0) {
  if (model.readout_) readout.emplace(model.readout_->weight(), model.readout_->bias(), 0, 0);
}

std::unique_ptr<Decoding> RnnSeq2Seq::decode(const data::SourceBatch& source, int64_t beams) {
  return std::make_unique<RnnDecoding>(*this, source, beams);
}

RnnDecoding::RnnDecoding(RnnSeq2Seq& model, const data::SourceBatch& source, int64_t beams)
    : model_(&model), beams_(beams) {
  const autograd::NoTape off;
  check(beams > 0, "decode", "{} beams: expected 1 or more", beams);
  if (!model.ready_) model.ready_ = std::make_shared<RnnSeq2Seq::Ready>(model);
  ready_ = model.ready_;
  encoded_ = model.encode(source, {});
  state_ = ready_->stepper.start(encoded_, beams);
}

Tensor RnnDecoding::step(const Tensor& words, Tensor* look) {
  const autograd::NoTape off;
  const int64_t batch = sentences(), rows = batch * beams_, keys = encoded_.values.dim(1);
  if (words.shape() != Shape{batch, beams_} || words.dtype() != DType::kI32)
    fail("decode", "words of shape {}: expected i32 [{}, {}]", words.shape().str(), batch, beams_);
  RnnSeq2Seq::Request request;
  request.want_look = look && model_->options_.looks();
  ready_->stepper.read((*model_->target_words_)(words.reshape({1, rows})));
  const RnnStepper::Step step = ready_->stepper(0, encoded_, request, state_, {}, position_++);
  if (look) {
    *look = Tensor();
    if (request.want_look) {  // [B, H, K, S] -> [B, K, H, S]
      const Tensor& seen = step.attended.seen.weights;
      *look = Tensor::empty({batch, beams_, seen.dim(1), keys});
      for (int64_t b = 0; b < batch; ++b)
        for (int64_t h = 0; h < seen.dim(1); ++h)
          for (int64_t k = 0; k < beams_; ++k)
            std::copy_n(seen.data<float>() + ((b * seen.dim(1) + h) * beams_ + k) * keys, keys,
                        look->data<float>() + ((b * beams_ + k) * seen.dim(1) + h) * keys);
    }
  }
  Var outputs = autograd::concat({step.hidden, step.context}, -1);
  if (ready_->readout) outputs = autograd::tanh((*ready_->readout)(outputs));
  return ready_->output(outputs).value().reshape({batch, beams_, model_->target_vocab()});
}

void RnnDecoding::choose_rows(const std::vector<int32_t>& rows) {
  const Tensor at = Tensor::of<int32_t>({static_cast<int64_t>(rows.size())}, rows);
  for (Var& layer : state_.cells) layer = autograd::gather(layer, 1, at);
  if (state_.fed.defined()) state_.fed = autograd::gather(state_.fed, 0, at);
}

void RnnDecoding::reorder(const Tensor& parents) {
  const autograd::NoTape off;
  choose_rows(rows_of_parents(parents, sentences(), beams_));
  beams_ = parents.dim(1);
}

void RnnDecoding::keep(const Tensor& sentences) {
  const autograd::NoTape off;
  choose_rows(rows_of_sentences(sentences, beams_));
  auto rest = [&](Var& x) {
    if (x.defined()) x = autograd::gather(x, 0, sentences);
  };
  rest(encoded_.values);
  rest(encoded_.last);
  rest(encoded_.memory.keys);
  rest(encoded_.memory.values);
  encoded_.lengths = chosen(encoded_.lengths, sentences);
}

}  // namespace fovea::models
