// Recurrent cells, one step and whole sequences. G is the number of gates; a state h has H numbers, and a cell sees
//   x = input product + bias [G H]        u = h_{t-1} W^T + bias [G H]
//   tanh  (G 1)   h_t = tanh(x + u)
//   gru   (G 3)   r = s(x_r + u_r)   z = s(x_z + u_z)   n = tanh(x_n + r u_n)   h_t = (1 - z) n + z h_{t-1}
//   lstm  (G 4)   i = s(x_i + u_i)   f = s(x_f + u_f)   g = tanh(x_g + u_g)   o = s(x_o + u_o)
//                 c_t = f c_{t-1} + i g                 h_t = o tanh(c_t)
// with gates in this order (PyTorch's) and s the logistic function.
#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

enum class Cell { kTanh, kGru, kLstm };
constexpr int64_t gates_of(Cell cell) { return cell == Cell::kTanh ? 1 : cell == Cell::kGru ? 3 : 4; }

// One step of `rows` states. c and c_next are for lstm only.
template <typename T>
struct CellStep {
  const T* x;  // [rows, G H], rows ldx apart
  int64_t ldx;
  const T* u;          // [rows, G H]
  const T *h, *c;      // [rows, H]
  T *h_next, *c_next;  // [rows, H]
  T* gates;  // [rows, G H]: the gates as they opened, for backward; may be u where u is not needed again
};
void cell_forward(Cell cell, int64_t rows, int64_t width, const CellStep<float>& step);
void cell_forward(Cell cell, int64_t rows, int64_t width, const CellStep<double>& step);

// From the gradients of h_next and c_next to those of everything the step read. All are set, not added to.
template <typename T>
struct CellStepGrads {
  const T *gates, *u;          // as in forward; u for gru only
  const T *h, *c, *c_next;     // h for gru only, c and c_next for lstm only
  const T *dh_next, *dc_next;  // dc_next: lstm
  T* dx;                       // [rows, G H], rows lddx apart
  int64_t lddx;
  T* du;  // [rows, G H]; may be u
  T* dh;  // [rows, H]: the part that does not go through u; null: not wanted
  T* dc;  // lstm; may be dc_next
};
void cell_backward(Cell cell, int64_t rows, int64_t width, const CellStepGrads<float>& grads);
void cell_backward(Cell cell, int64_t rows, int64_t width, const CellStepGrads<double>& grads);

// A whole sequence in one direction, T steps of B rows. Row b has lengths[b] steps, the first ones; beyond them its
// state stays as it is and y is 0: padding changes no number. With `reverse` a row starts at its own last step.
template <typename T>
struct Sequence {
  int64_t steps, rows, width;  // T, B, H
  bool reverse;
  const int32_t* lengths;  // [B], 0 to T; null: all T
  const T* x;              // [T, B, G H], rows ldx apart
  int64_t ldx;
  const T* weight;  // [G H, H]
  const T* bias;    // [G H], or null
  T* states;  // [T + 1, B, H] in the order in which steps are taken; states[0] is given, states[T] the last
  T* cells;   // lstm: the same for c
  T *gates, *u;  // [T, B, G H] in the order of steps, for backward; null where nothing goes backward
  T* y;          // [T, B, H] in the order of time, rows ldy apart
  int64_t ldy;
};
// One sequence, or two of the same steps, rows and width: the directions of a layer run side by side.
void sequence_forward(Cell cell, std::span<const Sequence<float>> sequences);
void sequence_forward(Cell cell, std::span<const Sequence<double>> sequences);

template <typename T>
struct SequenceGrads {
  const T* dy;  // [T, B, H], rows lddy apart; beyond a row's length it is not read. Null: zeros
  int64_t lddy;
  T* dstate;  // [B, H]: in, the gradient of the last state; out, that of states[0]
  T* dcell;   // lstm: the same for c
  T* dx;      // [T, B, G H], rows lddx apart: set, 0 beyond a row's length
  int64_t lddx;
  T* du;  // [T, B, G H] in the order of steps; may be u. dW = sum_t du_t^T states[t], dbias = sum du
};
// grads[i] belongs to sequences[i].
void sequence_backward(Cell cell, std::span<const Sequence<float>> sequences,
                       std::span<const SequenceGrads<float>> grads);
void sequence_backward(Cell cell, std::span<const Sequence<double>> sequences,
                       std::span<const SequenceGrads<double>> grads);

namespace ref {
template <typename T>
void cell_forward(Cell cell, int64_t rows, int64_t width, const CellStep<T>& step);
template <typename T>
void cell_backward(Cell cell, int64_t rows, int64_t width, const CellStepGrads<T>& grads);
}  // namespace ref

}  // namespace fovea::kernels
