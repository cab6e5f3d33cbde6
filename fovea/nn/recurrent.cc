#include "fovea/nn/recurrent.h"

#include <array>
#include <cmath>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/dropout.h"
#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::nn {
namespace {

using autograd::gates_of;
using autograd::states_of;
using autograd::watch;

constexpr std::array<std::string_view, 3> kCellNames = {"tanh", "gru", "lstm"};
constexpr std::array<Cell, 3> kCells = {Cell::kTanh, Cell::kGru, Cell::kLstm};

// Uniform in +-1/sqrt(H), as recurrent weights usually start.
Parameter recurrent_weight(const Shape& shape, int64_t width, Random& random) {
  const Tensor value = Tensor::empty(shape);
  const float reach = 1 / std::sqrt(static_cast<float>(width));
  for (float& x : value.span<float>()) x = random.uniform(-reach, reach);
  return {.name = {}, .value = value, .grad = {}};
}

void name(Parameter& parameter, const std::string& as, ParameterList& list) {
  parameter.name = as;
  list.push_back(&parameter);
}

}  // namespace

std::span<const std::string_view> cell_names() { return kCellNames; }

Cell cell_named(std::string_view name) {
  for (size_t i = 0; i < kCellNames.size(); ++i)
    if (kCellNames[i] == name) return kCells[i];
  const std::vector<std::string> names(kCellNames.begin(), kCellNames.end());
  fail("cell", "there is no cell {}: did you mean '{}'?", quote(name), nearest(name, names, 1).front());
}

Var hidden_of(const Var& state) {
  const Var h = state.dim(0) == 1 ? state : autograd::slice(state, 0, 0, 1);
  return autograd::reshape(h, {state.dim(1), state.dim(2)});
}

Recurrent::Recurrent(const RecurrentOptions& options, Random& random)
    : options_(options), directions_(options.both_ways ? 2 : 1) {
  check(options.in > 0 && options.width > 0 && options.depth > 0, "recurrent",
        "an input of {}, a width of {} and a depth of {}: expected 1 or more of each", options.in,
        options.width, options.depth);
  const int64_t wide = gates_of(options.cell) * options.width;
  for (int64_t i = 0; i < options.depth; ++i) {
    Layer layer{Linear(i == 0 ? options.in : out(), directions_ * wide, true, random), {}, {}};
    for (int64_t d = 0; d < directions_; ++d) {
      layer.weight.push_back(recurrent_weight({wide, options.width}, options.width, random));
      layer.bias.push_back({.name = {}, .value = Tensor::zeros({wide}), .grad = {}});
    }
    layers_.push_back(std::move(layer));
  }
}

Var Recurrent::operator()(const Var& x, const Tensor& lengths, const Noise& noise) {
  Var y = x;
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    if (i > 0) y = noise.on(y, i);
    std::array<autograd::Recurrence, 2> directions;
    for (size_t d = 0; d < layer.weight.size(); ++d)
      directions[d] = {watch(layer.weight[d]), watch(layer.bias[d])};
    y = autograd::recurrent(options_.cell, layer.input(y),
                            std::span<const autograd::Recurrence>(directions.data(), layer.weight.size()),
                            lengths);
  }
  return y;
}

void Recurrent::collect(const std::string& prefix, ParameterList& list) {
  constexpr std::array<const char*, 2> kDirection = {"", "back."};
  for (size_t i = 0; i < layers_.size(); ++i) {
    const std::string at = prefix + std::to_string(i) + ".";
    layers_[i].input.collect(at + "input.", list);
    for (size_t d = 0; d < layers_[i].weight.size(); ++d) {
      name(layers_[i].weight[d], at + kDirection[d] + "state.weight", list);
      name(layers_[i].bias[d], at + kDirection[d] + "state.bias", list);
    }
  }
}

DecoderCells::DecoderCells(const DecoderCellsOptions& options, Random& random) : options_(options) {
  check(options.in > 0 && options.width > 0 && options.depth > 0 && options.context >= 0, "decoder",
        "an input of {}, a context of {}, a width of {} and a depth of {}: expected 1 or more of each",
        options.in, options.context, options.width, options.depth);
  const int64_t wide = gates_of(options.cell) * options.width;
  for (int64_t i = 0; i < options.depth; ++i) {
    const int64_t in = i == 0 ? options.in : options.width;
    Layer layer;
    layer.input.value = xavier_uniform({wide, in}, random);
    layer.input_bias.value = Tensor::zeros({wide});
    layer.state = recurrent_weight({wide, options.width}, options.width, random);
    layer.state_bias.value = Tensor::zeros({wide});
    layers_.push_back(std::move(layer));
  }
  if (options.context > 0) context_.value = xavier_uniform({wide, options.context}, random);
}

DecoderCells::Steps DecoderCells::steps(int64_t count, int64_t rows) {
  Steps steps;
  steps.cells_ = this;
  if (options_.context > 0) steps.context_.emplace(watch(context_), Var(), count, rows);
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    if (i > 0) steps.input_.emplace_back(watch(layer.input), watch(layer.input_bias), count, rows);
    steps.state_.emplace_back(watch(layer.state), watch(layer.state_bias), count, rows);
  }
  return steps;
}

// While a model is taught all words come at once, in one large product. When it runs, a packed one gives every row the bits it
// would have alone.
void DecoderCells::Steps::read(const Var& words) {
  Layer& layer = cells_->layers_[0];
  const Var w = watch(layer.input), bias = watch(layer.input_bias);
  if (w.node()) {
    words_ = autograd::linear(words, w, bias);
    return;
  }
  if (!word_) word_.emplace(w, bias, 0, 0);
  const int64_t count = words.dim(0), rows = words.dim(1);
  const Var gates = (*word_)(autograd::reshape(words, {count * rows, words.dim(2)}));
  words_ = autograd::reshape(gates, {count, rows, gates.dim(1)});
}

Var DecoderCells::Steps::operator()(int64_t t, const Var& context, State& state, const Noise& noise) {
  const Cell cell = cells_->options_.cell;
  Var h;
  for (size_t i = 0; i < state_.size(); ++i) {
    Var x;
    if (i > 0) {
      x = input_[i - 1](noise.on(h, static_cast<uint64_t>(t) * state_.size() + i));
    } else if (context_) {
      x = (*context_)(context, words_, t);
    } else {
      x = autograd::reshape(autograd::slice(words_, 0, t, t + 1), {words_.dim(1), words_.dim(2)});
    }
    state[i] = autograd::cell_step(cell, x, state_[i](hidden_of(state[i])), state[i]);
    h = hidden_of(state[i]);
  }
  return h;
}

Var DecoderCells::run(const Var& words, const Var& context, const State& state, const Noise& noise) {
  const int64_t batch = words.dim(1), wide = gates_of(options_.cell) * options_.width;
  Var h = words;
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    Var x = autograd::linear(i == 0 ? h : noise.on(h, i), watch(layer.input), watch(layer.input_bias));
    if (i == 0 && options_.context > 0)
      x = autograd::add(
          x, autograd::reshape(autograd::linear(context, watch(context_), Var()), {1, batch, wide}));
    const autograd::Recurrence direction = {watch(layer.state), watch(layer.state_bias)};
    h = autograd::recurrent(options_.cell, x, std::span(&direction, 1), Tensor(), state[i]);
  }
  return h;
}

void DecoderCells::collect(const std::string& prefix, ParameterList& list) {
  for (size_t i = 0; i < layers_.size(); ++i) {
    const std::string at = prefix + std::to_string(i) + ".";
    name(layers_[i].input, at + "input.weight", list);
    name(layers_[i].input_bias, at + "input.bias", list);
    if (i == 0 && options_.context > 0) name(context_, at + "context.weight", list);
    name(layers_[i].state, at + "state.weight", list);
    name(layers_[i].state_bias, at + "state.bias", list);
  }
}

}  // namespace fovea::nn
