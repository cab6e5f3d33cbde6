#pragma once

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/recurrent.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/step_linear.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

// Lengths from 0 to `steps`, all of them somewhere.
inline Tensor some_lengths(int64_t rows, int64_t steps) {
  Tensor lengths = Tensor::empty({rows}, DType::kI32);
  for (int64_t b = 0; b < rows; ++b)
    lengths.data<int32_t>()[b] = static_cast<int32_t>((steps + 2 * b) % (steps + 1));
  return lengths;
}

inline OpCase cell_case(const std::string& name, autograd::Cell cell) {
  const int64_t g = autograd::gates_of(cell), n = autograd::states_of(cell);
  auto shapes = [g, n](int64_t rows, int64_t width) {
    return Shapes{{rows, g * width}, {rows, g * width}, {n, rows, width}};
  };
  return {name + "_step",
          [cell](const std::vector<Var>& in) { return autograd::cell_step(cell, in[0], in[1], in[2]); },
          {shapes(1, 1), shapes(3, 5), shapes(2, 17)},
          {shapes(64, 256)}};
}

inline OpCase sequence_case(const std::string& name, autograd::Cell cell, int64_t directions,
                            bool with_lengths) {
  const int64_t g = autograd::gates_of(cell), n = autograd::states_of(cell);
  auto shapes = [=](int64_t steps, int64_t rows, int64_t width) {
    Shapes all = {{steps, rows, directions * g * width}};
    for (int64_t i = 0; i < directions; ++i) {
      all.push_back({g * width, width});
      all.push_back({g * width});
    }
    if (directions == 1) all.push_back({n, rows, width});
    return all;
  };
  return {name,
          [=](const std::vector<Var>& in) {
            std::vector<autograd::Recurrence> weights;
            for (int64_t i = 0; i < directions; ++i) {
              const auto at = static_cast<size_t>(1 + 2 * i);
              weights.push_back(
                  {autograd::scale(in[at], 0.3), in[at + 1]});  // small: f32 errors do not grow by themselves
            }
            const Tensor lengths = with_lengths ? some_lengths(in[0].dim(1), in[0].dim(0)) : Tensor();
            return autograd::recurrent(cell, in[0], weights, lengths, directions == 1 ? in[3] : Var());
          },
          {shapes(1, 1, 1), shapes(4, 3, 2), shapes(3, 6, 9)},
          {shapes(7, 40, 48)},
          {},
          1e-4};
}

inline std::vector<OpCase> recurrent_cases() {
  using autograd::Cell;
  std::vector<OpCase> all;
  for (const auto& [name, cell] :
       {std::pair{"tanh", Cell::kTanh}, {"gru", Cell::kGru}, {"lstm", Cell::kLstm}}) {
    const std::string text = name;
    all.push_back(cell_case(text, cell));
    all.push_back(sequence_case(text + "_sequence", cell, 1, false));
    all.push_back(sequence_case(text + "_sequence_lengths", cell, 1, true));
    all.push_back(sequence_case(text + "_both_ways_lengths", cell, 2, true));
  }
  all.push_back({"last_states",
                 [](const std::vector<Var>& in) {
                   return autograd::last_states(in[0], 2, some_lengths(in[0].dim(1), in[0].dim(0)));
                 },
                 {{{1, 1, 2}}, {{5, 3, 4}}}});
  // Three steps of y = base + x W^T + b that feed each other, the last of which nothing depends on.
  all.push_back({"step_linear",
                 [](const std::vector<Var>& in) {
                   autograd::StepLinear linear(in[1], in[2], 3, in[0].dim(0));
                   const Var first = linear(in[0], in[3], 1), second = linear(first);
                   linear(second, in[3], 0);
                   return second;
                 },
                 {{{1, 1}, {1, 1}, {1}, {2, 1, 1}}, {{3, 5}, {5, 5}, {5}, {2, 3, 5}}},
                 {{{64, 100}, {100, 100}, {100}, {2, 64, 100}}}});
  return all;
}

}  // namespace fovea::testing
