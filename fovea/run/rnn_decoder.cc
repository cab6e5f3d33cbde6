#include "fovea/run/rnn_decoder.h"

#include <fmt/format.h>
#include <algorithm>

#include "fovea/autograd/recurrent.h"
#include "fovea/kernels/activations.h"
#include "fovea/models/recurrent_decoder.h"
#include "fovea/nn/recurrent.h"

namespace fovea::run {
namespace {

void tanh_of(const Tensor& x) {
  kernels::activate(kernels::Activation::kTanh, x.data<float>(), x.data<float>(), x.size());
}

// [a, b] side by side.
Tensor side_by_side(const Tensor& a, const Tensor& b) {
  const int64_t rows = a.dim(0), left = a.dim(1), right = b.dim(1);
  Tensor both = Tensor::empty({rows, left + right});
  for (int64_t r = 0; r < rows; ++r) {
    float* to = both.data<float>() + r * (left + right);
    std::copy_n(a.data<float>() + r * left, left, to);
    std::copy_n(b.data<float>() + r * right, right, to + left);
  }
  return both;
}

}  // namespace

RnnDecoder::RnnDecoder(const models::RnnOptions& o, const std::string& tokens, int64_t read_width,
                       Weights& weights, Precision precision)
    : kind_(!o.looks()               ? Kind::kBottleneck
            : o.attention == "luong" ? Kind::kLuong
                                     : Kind::kBahdanau),
      feeds_(o.input_feeding),
      width_(o.dim_rnn) {
  precision_ = precision;
  const kernels::Cell cell = nn::cell_named(o.cell);
  tokens_ = Embedding(weights, tokens, o.target_vocab, o.dim_emb);
  read_width_ = context_width_ = read_width;
  cells_width_ = o.dec_depth * autograd::states_of(cell) * o.dim_rnn;
  start_ = Linear(weights, "start", read_width_, cells_width_, precision);
  if (o.looks()) {
    const nn::AttentionOptions a = models::attention_options(o, read_width);
    if (weights.contains("key.weight"))
      key_ = Linear(weights, "key.weight", "", read_width_, o.dim_rnn, precision);
    attention_ = Attention(weights, "attention.", a, precision);
    if (a.project) context_width_ = o.dim_rnn;
  }
  if (o.readout() > 0)
    readout_ = Linear(weights, "readout", o.dim_rnn + context_width_, o.readout(), precision);
  if (feeds_) fed_width_ = o.readout();
  for (int64_t i = 0; i < o.dec_depth; ++i)
    cells_.emplace_back(weights, fmt::format("decoder.{}.", i), cell, i == 0 ? o.dim_emb : o.dim_rnn,
                        o.dim_rnn, precision);
  const int64_t seen = kind_ == Kind::kLuong ? fed_width_ : context_width_,
                gates = kernels::gates_of(cell) * o.dim_rnn;
  if (seen > 0) context_ = Linear(weights, "decoder.0.context.weight", "", seen, gates, precision);
  output_ = Linear(weights, o.tied() ? tokens : "output.weight", "output.bias",
                   o.readout() > 0 ? o.readout() : o.dim_rnn + context_width_, o.target_vocab, precision);

  weights.skip("posterior.");
  weights.skip("baseline");
  for (const Linear* linear : {&start_, &key_, &context_, &readout_, &output_}) held_ += linear->held();
  for (const DecoderCell& one : cells_) held_ += one.held();
  if (o.looks()) held_ += attention_.held();
  info_.vocab = o.target_vocab;
  info_.layers = o.looks() ? 1 : 0;
  info_.cross_heads = o.looks() ? o.heads : 0;
  info_.hard = o.looks() && o.weigh == "hard";
  info_.ids = o.ids;
  info_.ends = {o.ids.eos};
}

std::vector<CacheShape> RnnDecoder::cross_shapes() const {
  if (kind_ == Kind::kBottleneck) return {};
  return {attention_.cache_shape()};
}

std::vector<std::shared_ptr<Source>> RnnDecoder::sources_of(const Tensor& annotations, const Tensor& last,
                                                            const Ragged& ragged, Cache& cross) const {
  const Tensor start = start_(last);
  tanh_of(start);
  std::vector<std::shared_ptr<Source>> made;
  for (int64_t i = 0; i < ragged.sequences(); ++i) {
    made.push_back(std::make_shared<Source>(cross, ragged.count(i)));
    Source& one = *made.back();
    one.state.assign(static_cast<size_t>(state_width() + read_width_), 0.0f);
    std::copy_n(start.data<float>() + i * cells_width_, cells_width_, one.state.data());
    std::copy_n(last.data<float>() + i * read_width_, read_width_, one.state.data() + state_width());
  }
  if (kind_ == Kind::kBottleneck) return made;
  const HeadRowsOf keys =
      attention_.project_keys(key_.defined() ? key_(annotations) : annotations, annotations, ragged);
  for (int64_t i = 0; i < ragged.sequences(); ++i) {
    CachedTokens& tokens = made[static_cast<size_t>(i)]->keys;
    tokens.grow(0, ragged.count(i));
    attention_.write(keys, ragged, i, cross, 0, tokens.pages(), 0);
  }
  return made;
}

Tensor RnnDecoder::context_of(const Tensor& query, std::span<const int32_t> positions,
                              std::span<const Source* const> sources, const Watch& watch) const {
  const int64_t rows = query.dim(0);
  if (kind_ == Kind::kBottleneck) {
    Tensor last = Tensor::empty({rows, read_width_});
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(sources[static_cast<size_t>(r)]->state.data() + state_width(), read_width_,
                  last.data<float>() + r * read_width_);
    return last;
  }
  std::vector<int32_t> starts;
  std::vector<KeysOf> keys;
  for (int64_t r = 0; r <= rows; ++r) starts.push_back(static_cast<int32_t>(r));
  for (const Source* source : sources)
    keys.push_back({.count = source->length, .pages = source->keys.pages()});
  const Ragged ragged{starts, positions};
  Tensor context = attention_.attend(attention_.project_query(query, ragged), ragged, keys,
                                     &sources.front()->keys.cache(), 0, watch);
  return attention_.out().defined() ? attention_.out()(context) : context;
}

Tensor RnnDecoder::one_step(std::span<const int32_t> tokens, std::span<const int32_t> positions,
                            std::span<const Source* const> sources, const Tensor& states,
                            const Watch& watch) const {
  const auto rows = static_cast<int64_t>(tokens.size());
  const int64_t stride = states.dim(1), of_layer = cells_width_ / static_cast<int64_t>(cells_.size());
  float* state = states.data<float>();
  Tensor x = Tensor::empty({rows, tokens_.width()}), context;
  tokens_.rows(tokens, x.data<float>());
  if (kind_ == Kind::kBahdanau)
    context = context_of(hidden_of(state + cells_width_ - of_layer, stride, rows, width_), positions, sources,
                         watch);
  if (kind_ == Kind::kBottleneck) context = context_of(x, positions, sources, watch);
  Tensor h = x;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Tensor gates = cells_[i].input(h);
    if (i == 0 && context_.defined())
      context_.add_to(
          gates, kind_ == Kind::kLuong ? hidden_of(state + cells_width_, stride, rows, fed_width_) : context);
    float* own = state + static_cast<int64_t>(i) * of_layer;
    cells_[i].step(gates, own, stride);
    h = hidden_of(own, stride, rows, width_);
  }
  if (kind_ == Kind::kLuong) context = context_of(h, positions, sources, watch);
  Tensor outputs = side_by_side(h, context);
  if (readout_.defined()) {
    outputs = readout_(outputs);
    tanh_of(outputs);
  }
  if (feeds_)
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(outputs.data<float>() + r * fed_width_, fed_width_, state + r * stride + cells_width_);
  return outputs;
}

Tensor RnnDecoder::step(const Step& step) const {
  const int64_t sequences = step.sequences();
  Tensor states = Tensor::empty({sequences, state_width()}), outputs;
  for (int64_t i = 0; i < sequences; ++i)
    std::copy_n(step.states[static_cast<size_t>(i)]->state.data(), state_width(),
                states.data<float>() + i * state_width());
  const auto count = [&](int64_t i) {
    return step.starts[static_cast<size_t>(i) + 1] - step.starts[static_cast<size_t>(i)];
  };
  int32_t steps = 0;
  for (int64_t i = 0; i < sequences; ++i) steps = std::max(steps, count(i));
  Tensor wanted = Tensor::empty({static_cast<int64_t>(step.wanted.size()), output_.in()});
  const bool looks = step.at && kind_ != Kind::kBottleneck && step.at->at(Site::kCross, 0, 1);
  std::vector<std::vector<Tensor>> seen(
      static_cast<size_t>(looks ? sequences : 0));  // by sequence and row: [heads, 1, S]

  for (int32_t t = 0; t < steps; ++t) {
    std::vector<int32_t> active, tokens, positions;
    std::vector<const Source*> sources;
    for (int64_t i = 0; i < sequences; ++i) {
      if (count(i) <= t) continue;
      const auto row = static_cast<size_t>(step.starts[static_cast<size_t>(i)] + t);
      active.push_back(static_cast<int32_t>(i));
      tokens.push_back(step.tokens[row]);
      positions.push_back(step.positions[row]);
      sources.push_back(step.states[static_cast<size_t>(i)]->source.get());
    }
    const bool all = static_cast<int64_t>(active.size()) == sequences;
    Tensor own = all ? states : Tensor::empty({static_cast<int64_t>(active.size()), state_width()});
    for (size_t a = 0; !all && a < active.size(); ++a)
      std::copy_n(states.data<float>() + active[a] * state_width(), state_width(),
                  own.data<float>() + static_cast<int64_t>(a) * state_width());
    LookAt every;
    std::vector<Looked> looked(active.size());
    Watch watch;
    if (looks) {
      every = *step.at;
      every.every_row = true;
      watch = {.at = &every, .site = Site::kCross, .layer = 0, .depth = 1, .wanted = {}, .looked = &looked};
    }
    outputs = one_step(tokens, positions, sources, own, watch);
    for (size_t a = 0; a < active.size(); ++a) {
      const int32_t i = active[a], row = step.starts[static_cast<size_t>(i)] + t;
      if (!all)
        std::copy_n(own.data<float>() + static_cast<int64_t>(a) * state_width(), state_width(),
                    states.data<float>() + i * state_width());
      const auto at = std::lower_bound(step.wanted.begin(), step.wanted.end(), row);
      const bool is_wanted = at != step.wanted.end() && *at == row;
      if (is_wanted)
        std::copy_n(outputs.data<float>() + static_cast<int64_t>(a) * output_.in(), output_.in(),
                    wanted.data<float>() + (at - step.wanted.begin()) * output_.in());
      if (looks && (is_wanted || step.at->every_row))
        seen[static_cast<size_t>(i)].push_back(looked[a].front().weights);
    }
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    const auto rows = static_cast<int64_t>(seen[i].size());
    if (rows == 0) continue;
    const int64_t heads = seen[i].front().dim(0), S = seen[i].front().dim(2);
    Tensor weights = Tensor::empty({heads, rows, S});
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t h = 0; h < heads; ++h)
        std::copy_n(seen[i][static_cast<size_t>(r)].data<float>() + h * S, S,
                    weights.data<float>() + (h * rows + r) * S);
    (*step.looked)[i].push_back({Site::kCross, 0, weights});
  }
  Tensor logits = output_(wanted);
  for (int64_t i = 0; i < sequences; ++i)
    std::copy_n(states.data<float>() + i * state_width(), state_width(),
                step.states[static_cast<size_t>(i)]->state.data());
  return logits;
}

}  // namespace fovea::run
