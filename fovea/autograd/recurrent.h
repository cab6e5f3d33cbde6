// Differentiable recurrent cells, formulas in fovea/kernels/recurrent.h. Sequences are time-major: [T, B, ..]. A state is
// [N, B, H]: h alone (N 1), or for lstm h and c (N 2).
#pragma once

#include <span>
#include <string_view>

#include "fovea/autograd/tape.h"
#include "fovea/kernels/recurrent.h"

namespace fovea::autograd {

using kernels::Cell;
using kernels::gates_of;
constexpr int64_t states_of(Cell cell) { return cell == Cell::kLstm ? 2 : 1; }

// One step: x [B, G H] with the input's part of the gates, u [B, G H] with that of the state, state [N, B, H] ->
// the next state.
Var cell_step(Cell cell, const Var& x, const Var& u, const Var& state);

// The weights of one direction.
struct Recurrence {
  Var weight;  // [G H, H]
  Var bias;    // [G H], or undefined
};

// A layer over whole sequences. x [T, B, D G H] holds the input products of D directions side by side, the second one running
// from the end; lengths i32 [B], or undefined where every row has T steps; initial [N, B, H] for one direction, or undefined:
// zeros. Gives y [T, B, D H], 0 beyond a row's length.
Var recurrent(Cell cell, const Var& x, std::span<const Recurrence> directions, const Tensor& lengths,
              const Var& initial = {});

// Where the directions of y [T, B, D H] end: the first H numbers from a row's last step, those of a second direction from the
// first step. -> [B, D H].
Var last_states(const Var& y, int64_t directions, const Tensor& lengths);

}  // namespace fovea::autograd
