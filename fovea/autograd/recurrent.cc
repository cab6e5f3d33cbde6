#include "fovea/autograd/recurrent.h"

#include <algorithm>
#include <array>

#include "fovea/kernels/gemm.h"
#include "fovea/kernels/reduce.h"

namespace fovea::autograd {
namespace {

template <typename T>
T* part(const Tensor& x, int64_t i) {  // x[i] of the leading axis
  return x.data<T>() + i * (x.size() / x.dim(0));
}

// Everything one direction keeps for backward.
struct Direction {
  Tensor weight, bias, states, cells, gates, u;

  template <typename T>
  kernels::Sequence<T> sequence(Cell cell, int64_t which, int64_t count, const Tensor& x,
                                const Tensor& lengths, const Tensor& y) const {
    const int64_t width = weight.dim(1), wide = gates_of(cell) * width;
    auto data = [](const Tensor& t) { return t.defined() ? t.data<T>() : nullptr; };
    return {.steps = x.dim(0),
            .rows = x.dim(1),
            .width = width,
            .reverse = which == 1,
            .lengths = lengths.defined() ? lengths.data<int32_t>() : nullptr,
            .x = x.data<T>() + which * wide,
            .ldx = count * wide,
            .weight = weight.data<T>(),
            .bias = data(bias),
            .states = data(states),
            .cells = data(cells),
            .gates = data(gates),
            .u = data(u),
            .y = y.data<T>() + which * width,
            .ldy = count * width};
  }
};

void check_recurrent(Cell cell, const Tensor& x, std::span<const Recurrence> directions,
                     const Tensor& lengths, const Tensor& initial) {
  const auto count = static_cast<int64_t>(directions.size());
  if (count < 1 || count > 2) fail("recurrent", "{} directions: there are one or two", count);
  if (x.rank() != 3) fail("recurrent", "x of shape {}: expected [T, B, gates]", x.shape().str());
  const int64_t rows = x.dim(1);
  for (const Recurrence& direction : directions) {
    const Tensor &w = direction.weight.value(), &bias = direction.bias.value();
    if (w.rank() != 2 || w.dim(0) != gates_of(cell) * w.dim(1) || x.dim(2) != count * w.dim(0))
      fail("recurrent",
           "x of shape {} and a weight of shape {}: expected [T, B, {} * gates * H] and [gates * H, H], {} "
           "gates",
           x.shape().str(), w.shape().str(), count, gates_of(cell));
    if (bias.defined() && bias.shape() != Shape{w.dim(0)})
      fail("recurrent", "a bias of shape {}: expected [{}]", bias.shape().str(), w.dim(0));
  }
  const int64_t width = directions[0].weight.dim(1);
  if (directions.back().weight.dim(1) != width) fail("recurrent", "directions of different widths");
  if (lengths.defined()) {
    if (lengths.dtype() != DType::kI32 || lengths.shape() != Shape{rows})
      fail("recurrent", "lengths of shape {}: expected i32 [{}]", lengths.shape().str(), rows);
    for (const int32_t n : lengths.span<int32_t>())
      if (n < 0 || n > x.dim(0)) fail("recurrent", "a length of {}: expected 0 to {}", n, x.dim(0));
  }
  if (initial.defined() && (count != 1 || initial.shape() != Shape{states_of(cell), rows, width}))
    fail("recurrent", "an initial state of shape {}: expected [{}, {}, {}], and one direction",
         initial.shape().str(), states_of(cell), rows, width);
}

// states[0] of a direction: part `which` of the initial state, or zeros.
void start(const Tensor& states, const Tensor& initial, int64_t which) {
  Tensor first = states.slice(0, 1);
  if (!initial.defined()) return first.fill(0);
  for_float(states.dtype(), "recurrent", [&](auto t) {
    using T = decltype(t);
    std::copy_n(part<T>(initial, which), first.size(), first.data<T>());
  });
}

// dW = sum over steps of du^T states, dbias = sum of du.
template <typename T>
void weight_gradients(Cell cell, const Direction& direction, const Tensor& du, size_t first_input,
                      Grads& grads) {
  const int64_t width = direction.weight.dim(1), wide = gates_of(cell) * width, rows = du.dim(0) * du.dim(1);
  grads.add(first_input, [&](Tensor& dw, float beta) {
    kernels::gemm(true, false, wide, width, rows, T{1}, du.data<T>(), wide, direction.states.data<T>(), width,
                  static_cast<T>(beta), dw.data<T>(), width);
  });
  grads.add(first_input + 1, [&](Tensor& db, float beta) {
    kernels::sum_axis(du.data<T>(), db.data<T>(), int64_t{1}, rows, wide, T{1}, static_cast<T>(beta));
  });
}

}  // namespace

Var cell_step(Cell cell, const Var& x, const Var& u, const Var& state) {
  const Tensor &gate_x = x.value(), &gate_u = u.value(), &before = state.value();
  const int64_t count = states_of(cell), rows = before.rank() == 3 ? before.dim(1) : -1;
  const int64_t width = before.rank() == 3 ? before.dim(2) : -1, wide = gates_of(cell) * width;
  if (rows < 0 || before.dim(0) != count || gate_x.shape() != Shape{rows, wide} ||
      gate_u.shape() != gate_x.shape())
    fail("cell_step", "x {}, u {} and state {}: expected [B, {}H] twice and [{}, B, H]", gate_x.shape().str(),
         gate_u.shape().str(), before.shape().str(), gates_of(cell), count);
  const Tensor after = Tensor::empty(before.shape(), before.dtype());
  const Tensor gates = Tensor::empty(gate_x.shape(), gate_x.dtype());
  const bool lstm = cell == Cell::kLstm;
  for_float(before.dtype(), "cell_step", [&](auto t) {
    using T = decltype(t);
    kernels::cell_forward(cell, rows, width,
                          kernels::CellStep<T>{gate_x.data<T>(), wide, gate_u.data<T>(), part<T>(before, 0),
                                               lstm ? part<T>(before, 1) : nullptr, part<T>(after, 0),
                                               lstm ? part<T>(after, 1) : nullptr, gates.data<T>()});
  });
  return record("cell_step", {x, u, state}, after, [=](const Tensor& dy, Grads& grads) {
    const Tensor dx = Tensor::empty(gate_u.shape(), gate_u.dtype()),
                 du = Tensor::empty(dx.shape(), dx.dtype());
    const Tensor dstate = Tensor::empty(before.shape(), before.dtype());
    for_float(before.dtype(), "cell_step", [&](auto t) {
      using T = decltype(t);
      auto c_of = [&](const Tensor& s) { return lstm ? part<T>(s, 1) : nullptr; };
      kernels::cell_backward(
          cell, rows, width,
          kernels::CellStepGrads<T>{gates.data<T>(), gate_u.data<T>(), part<T>(before, 0), c_of(before),
                                    c_of(after), part<T>(dy, 0), c_of(dy), dx.data<T>(), wide, du.data<T>(),
                                    part<T>(dstate, 0), c_of(dstate)});
    });
    if (grads.wants(0)) grads.pass(0, dx);
    if (grads.wants(1)) grads.pass(1, du);
    if (grads.wants(2)) grads.pass(2, dstate);
  });
}

Var recurrent(Cell cell, const Var& x, std::span<const Recurrence> directions, const Tensor& lengths,
              const Var& initial) {
  const Tensor& in = x.value();
  check_recurrent(cell, in, directions, lengths, initial.value());
  const auto count = static_cast<int64_t>(directions.size());
  const int64_t steps = in.dim(0), rows = in.dim(1), width = directions[0].weight.dim(1);
  const DType type = in.dtype();
  std::array<Var, 6> inputs = {x, directions[0].weight, directions[0].bias, {}, {}, initial};
  if (count == 2) {
    inputs[3] = directions[1].weight;
    inputs[4] = directions[1].bias;
  }
  const bool keep = Tape::current() && detail::any_differentiable(inputs);

  std::array<Direction, 2> kept;
  for (int64_t i = 0; i < count; ++i) {
    Direction& direction = kept[static_cast<size_t>(i)];
    const Recurrence& given = directions[static_cast<size_t>(i)];
    const Shape states{steps + 1, rows, width}, gates{steps, rows, gates_of(cell) * width};
    direction = {given.weight.value(), given.bias.value(), Tensor::empty(states, type), {}, {}, {}};
    start(direction.states, initial.value(), 0);
    if (cell == Cell::kLstm) {
      direction.cells = Tensor::empty(states, type);
      start(direction.cells, initial.value(), 1);
    }
    if (keep) {
      direction.gates = Tensor::empty(gates, type);
      direction.u = Tensor::empty(gates, type);
    }
  }
  const Tensor y = Tensor::empty({steps, rows, count * width}, type);
  for_float(type, "recurrent", [&](auto t) {
    using T = decltype(t);
    const std::array<kernels::Sequence<T>, 2> all = {
        kept[0].sequence<T>(cell, 0, count, in, lengths, y),
        kept[count == 2].sequence<T>(cell, 1, count, in, lengths, y)};
    kernels::sequence_forward(cell, std::span<const kernels::Sequence<T>>(all.data(), directions.size()));
  });

  return record("recurrent", inputs, y, [cell, count, kept, in, lengths, y](const Tensor& dy, Grads& grads) {
    const Tensor dx = Tensor::empty(in.shape(), in.dtype());
    const int64_t rows = in.dim(1), width = kept[0].weight.dim(1), wide = gates_of(cell) * width;
    for_float(in.dtype(), "recurrent", [&](auto t) {
      using T = decltype(t);
      std::array<kernels::Sequence<T>, 2> all;
      std::array<kernels::SequenceGrads<T>, 2> back;
      std::array<Tensor, 2> dstates;
      for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        all[at] = kept[at].sequence<T>(cell, i, count, in, lengths, y);
        dstates[at] = Tensor::zeros({states_of(cell), rows, width}, in.dtype());
        back[at] = {.dy = dy.data<T>() + i * width,
                    .lddy = count * width,
                    .dstate = part<T>(dstates[at], 0),
                    .dcell = cell == Cell::kLstm ? part<T>(dstates[at], 1) : nullptr,
                    .dx = dx.data<T>() + i * wide,
                    .lddx = count * wide,
                    .du = kept[at].u.data<T>()};
      }
      const auto n = static_cast<size_t>(count);
      kernels::sequence_backward(cell, std::span<const kernels::Sequence<T>>(all.data(), n),
                                 std::span<const kernels::SequenceGrads<T>>(back.data(), n));
      for (size_t i = 0; i < n; ++i) weight_gradients<T>(cell, kept[i], kept[i].u, 1 + 2 * i, grads);
      if (grads.wants(5)) grads.pass(5, dstates[0]);
    });
    if (grads.wants(0)) grads.pass(0, dx);
  });
}

Var last_states(const Var& y, int64_t directions, const Tensor& lengths) {
  const Tensor& in = y.value();
  if (in.rank() != 3 || directions < 1 || in.dim(2) % directions != 0 || in.dim(0) < 1)
    fail("last_states", "y of shape {} and {} directions: expected [T, B, directions * H]", in.shape().str(),
         directions);
  const int64_t steps = in.dim(0), rows = in.dim(1), wide = in.dim(2), width = wide / directions;
  if (lengths.defined() && (lengths.dtype() != DType::kI32 || lengths.shape() != Shape{rows}))
    fail("last_states", "lengths of shape {}: expected i32 [{}]", lengths.shape().str(), rows);
  // Calls f(where in y, where in the result) for every run of `width` numbers; a row without steps has none.
  auto each = [=](auto&& f) {
    for (int64_t b = 0; b < rows; ++b)
      for (int64_t d = 0; d < directions; ++d) {
        const int64_t length = lengths.defined() ? lengths.data<int32_t>()[b] : steps;
        const int64_t time = d == 0 ? std::max<int64_t>(length, 1) - 1 : 0;
        f((time * rows + b) * wide + d * width, b * wide + d * width);
      }
  };
  const Tensor last = Tensor::empty({rows, wide}, in.dtype());
  for_float(in.dtype(), "last_states", [&](auto t) {
    using T = decltype(t);
    each([&](int64_t from, int64_t to) { std::copy_n(in.data<T>() + from, width, last.data<T>() + to); });
  });
  return record("last_states", {y}, last, [each, width](const Tensor& dlast, Grads& grads) {
    grads.add(0, [&](Tensor& dy) {
      for_float(dy.dtype(), "last_states", [&](auto t) {
        using T = decltype(t);
        each([&](int64_t to, int64_t from) {
          for (int64_t j = 0; j < width; ++j) dy.data<T>()[to + j] += dlast.data<T>()[from + j];
        });
      });
    });
  });
}

}  // namespace fovea::autograd
