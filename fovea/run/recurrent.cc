#include "fovea/run/recurrent.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "fovea/autograd/recurrent.h"

namespace fovea::run {

using autograd::states_of;
using kernels::Cell;
using kernels::gates_of;

RecurrentEncoder::RecurrentEncoder(Weights& weights, const std::string& prefix, Cell cell, int64_t in,
                                   int64_t width, int64_t depth, bool both_ways, Precision precision)
    : cell_(cell), width_(width), directions_(both_ways ? 2 : 1) {
  const int64_t gates = gates_of(cell) * width;
  for (int64_t i = 0; i < depth; ++i) {
    const std::string at = fmt::format("{}{}.", prefix, i);
    Layer& layer = layers_.emplace_back();
    layer.input = Linear(weights, at + "input", i == 0 ? in : out(), directions_ * gates, precision);
    layer.state.emplace_back(weights, at + "state", width, gates, precision);
    if (both_ways) layer.state.emplace_back(weights, at + "back.state", width, gates, precision);
  }
}

Held RecurrentEncoder::held() const {
  Held held;
  for (const Layer& layer : layers_) {
    held += layer.input.held();
    for (const Linear& state : layer.state) held += state.held();
  }
  return held;
}

RecurrentEncoder::Read RecurrentEncoder::operator()(const Tensor& x, const Ragged& ragged) const {
  const int64_t sequences = ragged.sequences(), rows = x.dim(0), gates = gates_of(cell_) * width_;
  // Longest first: those that have a token at step t are the first ones.
  std::vector<int64_t> order(static_cast<size_t>(sequences));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return ragged.count(a) > ragged.count(b); });
  const int64_t steps = sequences > 0 ? ragged.count(order.front()) : 0;
  const bool has_cells = states_of(cell_) > 1;

  Read read{x, {}};
  for (const Layer& layer : layers_) {
    const Tensor input = layer.input(read.states), y = Tensor::empty({rows, out()});
    read.last = Tensor::zeros({sequences, out()});
    for (int64_t d = 0; d < directions_; ++d) {
      Tensor h = Tensor::zeros({sequences, width_}), next = Tensor::zeros({sequences, width_}),
             c = Tensor::zeros({has_cells ? sequences : 0, width_}), c_next = Tensor::zeros(c.shape()),
             gathered = Tensor::empty({sequences, gates}), u = Tensor::empty({sequences, gates});
      int64_t active = sequences;
      for (int64_t t = 0; t < steps; ++t) {
        while (active > 0 && ragged.count(order[static_cast<size_t>(active - 1)]) <= t) --active;
        const auto row_of = [&](int64_t i) {
          const int64_t s = order[static_cast<size_t>(i)];
          return ragged.begin(s) + (d == 0 ? t : ragged.count(s) - 1 - t);
        };
        for (int64_t i = 0; i < active; ++i)
          std::copy_n(input.data<float>() + row_of(i) * input.dim(1) + d * gates, gates,
                      gathered.data<float>() + i * gates);
        layer.state[static_cast<size_t>(d)].run(h.data<float>(), width_, active, 0, u.data<float>(), gates);
        kernels::cell_forward(cell_, active, width_,
                              {.x = gathered.data<float>(),
                               .ldx = gates,
                               .u = u.data<float>(),
                               .h = h.data<float>(),
                               .c = c.data<float>(),
                               .h_next = next.data<float>(),
                               .c_next = c_next.data<float>(),
                               .gates = u.data<float>()});
        std::swap(h, next);
        std::swap(c, c_next);
        for (int64_t i = 0; i < active; ++i) {
          const float* state = h.data<float>() + i * width_;
          std::copy_n(state, width_, y.data<float>() + row_of(i) * out() + d * width_);
          const int64_t s = order[static_cast<size_t>(i)];
          if (t + 1 == ragged.count(s))
            std::copy_n(state, width_, read.last.data<float>() + s * out() + d * width_);
        }
      }
    }
    read.states = y;
  }
  return read;
}

DecoderCell::DecoderCell(Weights& weights, const std::string& prefix, Cell cell, int64_t in, int64_t width,
                         Precision precision)
    : cell(cell),
      width(width),
      input(weights, prefix + "input", in, gates_of(cell) * width, precision),
      state(weights, prefix + "state", width, gates_of(cell) * width, precision) {}

Held DecoderCell::held() const {
  Held held = input.held();
  return held += state.held();
}

void DecoderCell::step(const Tensor& gates, float* states, int64_t stride) const {
  const int64_t rows = gates.dim(0);
  const bool has_cells = states_of(cell) > 1;
  const Tensor h = hidden_of(states, stride, rows, width), next = Tensor::empty(h.shape()), u = state(h);
  const Tensor c = has_cells ? hidden_of(states + width, stride, rows, width) : h,
               c_next = has_cells ? Tensor::empty(c.shape()) : next;
  kernels::cell_forward(cell, rows, width,
                        {.x = gates.data<float>(),
                         .ldx = gates.dim(1),
                         .u = u.data<float>(),
                         .h = h.data<float>(),
                         .c = c.data<float>(),
                         .h_next = next.data<float>(),
                         .c_next = c_next.data<float>(),
                         .gates = u.data<float>()});
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(next.data<float>() + r * width, width, states + r * stride);
    if (has_cells) std::copy_n(c_next.data<float>() + r * width, width, states + r * stride + width);
  }
}

Tensor hidden_of(const float* state, int64_t stride, int64_t rows, int64_t width) {
  Tensor h = Tensor::empty({rows, width});
  for (int64_t r = 0; r < rows; ++r) std::copy_n(state + r * stride, width, h.data<float>() + r * width);
  return h;
}

}  // namespace fovea::run
