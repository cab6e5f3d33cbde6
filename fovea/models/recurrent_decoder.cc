#include "fovea/models/recurrent_decoder.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/embedding.h"
#include "fovea/autograd/loss.h"
#include "fovea/autograd/mask.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/normalise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/rnn_stepper.h"
#include "fovea/models/spoken.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::models {
namespace {

using autograd::states_of;
using autograd::watch;
using nn::DecoderCells;

// Places where noise falls; each draws its own.
struct DecoderNoise {
  static constexpr uint64_t kTarget = 2, kCell = 4, kOutput = 5, kSoft = 6, kSourceWords = 7,
                            kTargetWords = 8;  // 1 and 3 are those of encoders
};

// [B, N H] as [N, B, H].
Var as_state(const Var& x, int64_t count) {
  const int64_t rows = x.dim(0), width = x.dim(1) / count;
  if (count == 1) return autograd::reshape(x, {1, rows, width});
  return autograd::permute(autograd::reshape(x, {rows, count, width}), {1, 0, 2});
}

// u8 [B, 1, T, S]: the steps that are words.
Tensor words_only(const data::Batch& batch, int64_t keys) {
  const int64_t rows = batch.target_out.dim(0), steps = batch.target_out.dim(1);
  const Tensor visible = Tensor::empty({rows, 1, steps, keys}, DType::kU8);
  for (int64_t i = 0; i < rows * steps; ++i)
    std::fill_n(visible.data<uint8_t>() + i * keys, keys,
                static_cast<uint8_t>(batch.target_out.data<int32_t>()[i] != data::kIgnore));
  return visible;
}

// weight * sum_i (1 - sum_t a_ti)^2 of scores [B, H, T, S].
Var spread_cost(const data::Batch& batch, const Var& scores, double weight) {
  const Var weights = autograd::softmax(autograd::hide(scores, words_only(batch, scores.dim(3))));
  const Var left = autograd::add_scalar(autograd::neg(autograd::sum(weights, 2)), 1);
  return autograd::scale(autograd::sum(autograd::mul(left, left)), weight);
}

}  // namespace

Tensor time_first(const Tensor& ids) {
  const int64_t rows = ids.dim(0), steps = ids.dim(1);
  const Tensor turned = Tensor::empty({steps, rows}, DType::kI32);
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t t = 0; t < steps; ++t)
      turned.data<int32_t>()[t * rows + b] = ids.data<int32_t>()[b * steps + t];
  return turned;
}

nn::AttentionOptions attention_options(const RnnOptions& o, int64_t read) {
  nn::AttentionOptions a;
  a.width = o.dim_rnn;
  a.key_width = read;
  a.score = o.score;
  a.heads = o.heads;
  a.project = o.heads > 1;
  a.max_keys = o.max_keys;
  a.hidden = o.dim_rnn / o.heads;
  a.weigh = o.weigh;
  a.estimator = o.estimator;
  a.temperature = o.temperature;
  a.masks = o.cross_mask;
  a.place = nn::Place::kCross;
  // A score without parameters multiplies query and key as they are: their widths must agree.
  const bool as_they_are =
      nn::score_named(o.score).params({.query = 1, .key = 1, .hidden = 1, .max_keys = 1}).empty();
  if (!a.project && read != o.dim_rnn && as_they_are) {
    a.key_width = o.dim_rnn;
    a.value_width = read;
  }
  return a;
}

RecurrentDecoder::RecurrentDecoder(const RnnOptions& o, nn::Embedding tokens, int64_t read, uint64_t seed,
                                   Random& random)
    : options_(o), seed_(seed), tokens_(std::move(tokens)) {
  const nn::Cell cell = nn::cell_named(o.cell);
  start_.emplace(read, o.dec_depth * states_of(cell) * o.dim_rnn, true, random);

  int64_t context = read;
  if (o.looks()) {
    const nn::AttentionOptions a = attention_options(o, read);
    if (a.key_width != read) key_.emplace(read, o.dim_rnn, false, random);
    attention_.emplace(a, random);
    if (o.weigh == "hard" && o.estimator == "variational") {
      posterior_query_.emplace(o.dim_rnn + o.dim_emb, o.dim_rnn, true, random);
      posterior_.emplace(a, random);
    }
    if (a.project) context = o.dim_rnn;
  }
  const bool luong = o.attention == "luong";
  const int64_t seen = !luong ? context : o.input_feeding ? o.readout() : 0;
  cells_.emplace(nn::DecoderCellsOptions{cell, o.dim_emb, seen, o.dim_rnn, o.dec_depth}, random);
  int64_t width = o.dim_rnn + context;
  if (o.readout() > 0) {
    readout_.emplace(width, o.readout(), true, random);
    width = o.readout();
  }
  if (o.tied())
    output_bias_.value = Tensor::zeros({o.target_vocab});
  else
    output_.emplace(width, o.target_vocab, true, random);
}

void RecurrentDecoder::collect(nn::ParameterList& list) {
  start_->collect("start.", list);
  if (key_) key_->collect("key.", list);
  if (attention_) attention_->collect("attention.", list);
  if (posterior_) {
    posterior_query_->collect("posterior.from.", list);
    posterior_->collect("posterior.", list);
  }
  cells_->collect("decoder.", list);
  if (readout_) readout_->collect("readout.", list);
  if (output_) output_->collect("output.", list);
  if (options_.tied()) {
    output_bias_.name = "output.bias";
    list.push_back(&output_bias_);
  }
}

std::vector<NamedTensor> RecurrentDecoder::buffers() {
  if (options_.weigh == "soft") return {};
  return {{"baseline", baseline_.state()}};
}

Var RecurrentDecoder::output_weight() { return output_ ? output_->weight() : tokens_.table(); }
Var RecurrentDecoder::output_bias() { return output_ ? output_->bias() : watch(output_bias_); }

RecurrentDecoder::Encoded RecurrentDecoder::encode(const Annotations& annotations, const Request& request) {
  Encoded encoded{annotations, {}, {}, {}};
  const Var start = autograd::tanh((*start_)(encoded.last));
  const int64_t count = states_of(cells_->cell()), width = count * options_.dim_rnn;
  for (int64_t i = 0; i < options_.dec_depth; ++i)
    encoded.start.push_back(as_state(
        options_.dec_depth == 1 ? start : autograd::slice(start, 1, i * width, (i + 1) * width), count));
  if (attention_) {
    const Var keys = key_ ? (*key_)(encoded.values) : encoded.values;
    encoded.cross = attention_->keys_values(keys, encoded.values);
    if (posterior_ && draws(request)) encoded.posterior = posterior_->keys_values(keys, encoded.values);
  }
  return encoded;
}

nn::AttentionCall RecurrentDecoder::call(const Encoded& encoded, const Request& request, int64_t step) const {
  nn::AttentionCall call;
  call.mask = nn::lengths(encoded.lengths);
  call.at = {.first = step, .same = true};
  call.training = request.training;
  call.softly = request.softly;
  call.step = request.noise.step * 4096 + static_cast<uint64_t>(step);
  if (request.want_scores) call.path = nn::Path::kPlain;
  return call;
}

nn::Noise RecurrentDecoder::cell_noise(const Request& request) {
  return request.noise.at(DecoderNoise::kCell);
}

Var RecurrentDecoder::outputs_of(const Var& states, const Var& contexts, const Request& request) {
  Var outputs = autograd::concat({states, contexts}, -1);
  if (readout_) outputs = autograd::tanh((*readout_)(outputs));
  return request.noise.at(DecoderNoise::kOutput).on(outputs, 0);
}

RecurrentDecoder::Taught RecurrentDecoder::teach(const data::Batch& batch, const Encoded& encoded,
                                                 const Request& request) {
  const Var words = request.noise.at(DecoderNoise::kTarget)
                        .on(request.target_words.on_rows(tokens_(time_first(batch.target_in)), 0), 0);
  const bool known = options_.attention != "bahdanau" && !options_.input_feeding;
  const bool needs_steps =
      draws(request) && (options_.estimator == "variational" || options_.estimator == "exact");
  return known && !needs_steps ? teach_at_once(words, encoded, request)
                               : teach_by_steps(batch, words, encoded, request);
}

RecurrentDecoder::Taught RecurrentDecoder::teach_at_once(const Var& words, const Encoded& encoded,
                                                         const Request& request) {
  const int64_t steps = words.dim(0), rows = words.dim(1);
  Taught taught;
  const Var states = cells_->run(words, encoded.last, encoded.start, cell_noise(request));
  Var contexts;
  if (attention_) {
    nn::AttentionCall how = call(encoded, request, 0);
    how.at = {.first = 0};
    nn::Attended seen = (*attention_)(autograd::permute(states, {1, 0, 2}), encoded.cross, how);
    contexts = autograd::permute(seen.context, {1, 0, 2});
    taught.scores = seen.scores;
    taught.at = seen.choice.at;
  } else {
    contexts = autograd::broadcast_to(autograd::reshape(encoded.last, {1, rows, encoded.last.dim(1)}),
                                      {steps, rows, encoded.last.dim(1)});
  }
  taught.outputs = outputs_of(states, contexts, request);
  return taught;
}

RecurrentDecoder::Request RecurrentDecoder::request(const data::Batch& batch,
                                                    const CostOptions& options) const {
  Request request;
  request.training = options.training;
  if (options.training) {
    const auto noise = [&](double rate) { return nn::Noise{static_cast<float>(rate), seed_, options.step}; };
    request.noise = noise(options_.dropout);
    request.source_words = noise(options_.dropout_src).at(DecoderNoise::kSourceWords);
    request.target_words = noise(options_.dropout_trg).at(DecoderNoise::kTargetWords);
  }
  request.softly = options_.weigh == "hard" && options.training &&
                   uniform_of(philox(seed_ + DecoderNoise::kSoft * nn::Noise::kPlaces, options.step, 0)[0]) <
                       options_.soft_share;
  request.want_scores = draws(request) || is_guided(batch, options) || is_spread(request);
  return request;
}

Cost RecurrentDecoder::cost(const data::Batch& batch, const Annotations& annotations, const Request& request,
                            const CostOptions& options) {
  const bool hard = draws(request);
  const Taught taught = teach(batch, encode(annotations, request), request);

  Cost cost;
  cost.tokens = batch.target_tokens;
  CrossEntropyOptions loss;
  loss.label_smoothing = options.label_smoothing;
  loss.ignore_index = data::kIgnore;
  loss.reduction = Reduction::kSum;
  const Tensor targets = time_first(batch.target_out);
  const bool exact = hard && options_.estimator == "exact";
  if (!exact) {
    const SpokenWords words(targets);
    const Var rows = autograd::reshape(taught.outputs, {targets.size(), taught.outputs.dim(-1)});
    const Var spoken = words.at.size() < targets.size() ? autograd::embedding(rows, words.at) : rows;
    cost.total = autograd::linear_cross_entropy(spoken, output_weight(), output_bias(), words.ids, loss);
    cost.cross_entropy = cost.total.value().item();
  }
  if (hard) {
    const Var term = hard_term(batch, taught);
    if (exact) {
      cost.total = term;
      cost.cross_entropy = term.value().item();
    } else if (term.defined()) {
      cost.total = autograd::add(cost.total, term);
    }
  }
  if (is_spread(request))
    cost.total = autograd::add(cost.total, spread_cost(batch, taught.scores, options_.doubly_stochastic));
  if (is_guided(batch, options))
    cost.total = autograd::add(cost.total, guided_cost(batch.alignment, taught.scores, options.guided));
  return cost;
}

Var RecurrentDecoder::hard_term(const data::Batch& batch, const Taught& taught) {
  const nn::Estimator& estimator = nn::estimator_named(options_.estimator);
  const int64_t rows = batch.target_out.dim(0), steps = batch.target_out.dim(1), heads = options_.heads;
  const Tensor visible = words_only(batch, taught.scores.dim(3));
  nn::HardLoss x;
  x.prior = autograd::hide(taught.scores, visible);
  if (taught.posterior.defined()) x.posterior = autograd::hide(taught.posterior, visible);
  x.at = taught.at;
  x.costs = taught.costs;
  x.entropy_weight = options_.entropy_weight;
  if (estimator.needs_cost) {
    // Each word answers for the position that was read to write it.
    const Tensor log_probs =
        token_log_probs(taught.outputs.value(), time_first(batch.target_out), output_weight(), output_bias());
    const Tensor at = taught.at.copy();
    x.cost = Tensor::zeros({rows, heads, steps});
    double sum = 0;
    for (int64_t b = 0; b < rows; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t t = 0; t < steps; ++t) {
          const int64_t i = (b * heads + h) * steps + t;
          const float cost = -log_probs.data<float>()[t * rows + b];
          x.cost.data<float>()[i] = cost;
          if (batch.target_out.data<int32_t>()[b * steps + t] == data::kIgnore) at.data<int32_t>()[i] = -1;
          if (h == 0) sum += cost;
        }
    x.at = at;
    x.baseline = baseline_.value();
    const auto words = static_cast<double>(std::max<int64_t>(1, batch.target_tokens));
    baseline_.update(Tensor::full({1}, sum / words));
  }
  return estimator.term(x);
}

RecurrentDecoder::Taught RecurrentDecoder::teach_by_steps(const data::Batch& batch, const Var& words,
                                                          const Encoded& encoded, const Request& request) {
  const int64_t steps = words.dim(0), rows = words.dim(1);
  const bool exact = draws(request) && options_.estimator == "exact";
  RnnStepper stepper(*this, steps, rows);
  stepper.read(words);
  RnnStepper::State state = stepper.start(encoded);
  PoolVector<Var> hidden, contexts, scores, posterior, costs;
  Taught taught;
  const int64_t heads = options_.heads;
  if (options_.weigh == "hard" && !request.softly)
    taught.at = Tensor::empty({rows, heads, steps}, DType::kI32);
  // The variational posterior has seen the word that is about to be written.
  const Tensor next = posterior_ && draws(request) ? time_first(batch.target_out) : Tensor();
  if (next.defined())
    for (int32_t& id : next.span<int32_t>()) id = std::max<int32_t>(id, 0);
  for (int64_t t = 0; t < steps; ++t) {
    const Var hint = next.defined() ? tokens_(next.slice(t, t + 1).reshape({rows})) : Var();
    if (exact) costs.push_back(stepper.cost_of_each(t, encoded, request, state, batch.target_out));
    const RnnStepper::Step step = stepper(t, encoded, request, state, hint);
    hidden.push_back(step.hidden);
    contexts.push_back(step.context);
    if (request.want_scores) scores.push_back(step.attended.scores);
    if (step.posterior.defined()) posterior.push_back(step.posterior);
    if (taught.at.defined())
      for (int64_t i = 0; i < rows * heads; ++i)
        taught.at.data<int32_t>()[i * steps + t] = step.at.data<int32_t>()[i];
  }
  auto stacked = [&](const PoolVector<Var>& parts) {
    const Var all = autograd::concat(parts, 0);
    return autograd::reshape(all, {steps, rows, all.dim(1)});
  };
  taught.outputs = outputs_of(stacked(hidden), stacked(contexts), request);
  if (!scores.empty()) taught.scores = autograd::concat(scores, 2);
  if (!posterior.empty()) taught.posterior = autograd::concat(posterior, 2);
  if (!costs.empty()) taught.costs = autograd::concat(costs, 2);
  return taught;
}

}  // namespace fovea::models
