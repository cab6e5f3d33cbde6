#include <algorithm>
#include <vector>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/recurrent.h"

// Rows of a batch do not meet inside a recurrence, so a block of rows runs through all its steps on one thread, without
// waiting for the others; the recurrent weights are packed once for all blocks.

namespace fovea::kernels {
namespace {

// By the number of rows alone: few rows still give both threads something to do, many keep the weights' traffic low.
int64_t rows_in_block(int64_t rows) { return std::clamp<int64_t>((rows + 3) / 4, 4, 32); }

// Calls f(sequence, first row, end) for every block.
template <typename T, typename F>
void for_each_block(std::span<const Sequence<T>> sequences, F&& f) {
  if (sequences.empty()) return;
  const int64_t rows = sequences[0].rows, block = rows_in_block(rows), blocks = (rows + block - 1) / block;
  parallel_for(blocks * static_cast<int64_t>(sequences.size()), [&](int64_t task) {
    const int64_t begin = task % blocks * block;
    f(static_cast<size_t>(task / blocks), begin, std::min(rows, begin + block));
  });
}

template <typename T>
int64_t time_of(const Sequence<T>& s, int64_t step) {
  return s.reverse ? s.steps - 1 - step : step;
}
template <typename T>
bool past_the_end(const Sequence<T>& s, int64_t row, int64_t time) {
  return s.lengths && time >= s.lengths[row];
}

template <typename T>
void forward_block(Cell cell, const Sequence<T>& s, const T* packed, int64_t begin, int64_t end) {
  const int64_t rows = end - begin, width = s.width, wide = gates_of(cell) * width;
  Scratch scratch;
  T* own_u = s.u ? nullptr : scratch.take<T>(rows * wide);
  T* own_gates = s.gates ? nullptr : scratch.take<T>(rows * wide);
  for (int64_t step = 0; step < s.steps; ++step) {
    const int64_t time = time_of(s, step), at = step * s.rows + begin, next = at + s.rows;
    const int64_t clock = time * s.rows + begin;
    T* u = s.u ? s.u + at * wide : own_u;
    const T* h = s.states + at * width;
    T* h_next = s.states + next * width;
    gemm_packed(false, rows, wide, width, h, width, packed, s.bias, T{0}, u, wide);
    const bool lstm = cell == Cell::kLstm;
    const T* c = lstm ? s.cells + at * width : nullptr;
    T* c_next = lstm ? s.cells + next * width : nullptr;
    cell_forward(cell, rows, width,
                 CellStep<T>{s.x + clock * s.ldx, s.ldx, u, h, c, h_next, c_next,
                             s.gates ? s.gates + at * wide : own_gates});
    for (int64_t r = 0; r < rows; ++r) {
      T* y = s.y + (clock + r) * s.ldy;
      if (past_the_end(s, begin + r, time)) {
        std::copy_n(h + r * width, width, h_next + r * width);
        if (lstm) std::copy_n(c + r * width, width, c_next + r * width);
        std::fill_n(y, width, T{0});
      } else {
        std::copy_n(h_next + r * width, width, y);
      }
    }
  }
}

template <typename T>
void backward_block(Cell cell, const Sequence<T>& s, const SequenceGrads<T>& g, const T* packed,
                    int64_t begin, int64_t end) {
  const int64_t rows = end - begin, width = s.width, wide = gates_of(cell) * width;
  const bool lstm = cell == Cell::kLstm;
  Scratch scratch;
  T* dh_next = scratch.take<T>(rows * width);
  T* dh = scratch.take<T>(rows * width);
  T* dc = lstm ? scratch.take<T>(rows * width) : nullptr;
  T* dstate = g.dstate + begin * width;
  T* dcell = lstm ? g.dcell + begin * width : nullptr;
  for (int64_t step = s.steps - 1; step >= 0; --step) {
    const int64_t time = time_of(s, step), at = step * s.rows + begin, next = at + s.rows;
    const int64_t clock = time * s.rows + begin;
    for (int64_t r = 0; r < rows; ++r) {
      T* sum = dh_next + r * width;
      std::copy_n(dstate + r * width, width, sum);
      if (!g.dy || past_the_end(s, begin + r, time)) continue;
      const T* dy = g.dy + (clock + r) * g.lddy;
      for (int64_t j = 0; j < width; ++j) sum[j] += dy[j];
    }
    T *dx = g.dx + clock * g.lddx, *du = g.du + at * wide;
    cell_backward(
        cell, rows, width,
        CellStepGrads<T>{s.gates + at * wide, s.u + at * wide, s.states + at * width,
                         lstm ? s.cells + at * width : nullptr, lstm ? s.cells + next * width : nullptr,
                         dh_next, dcell, dx, g.lddx, du, dh, dc});
    for (int64_t r = 0; r < rows; ++r)
      if (past_the_end(s, begin + r, time)) {
        std::fill_n(dx + r * g.lddx, wide, T{0});
        std::fill_n(du + r * wide, wide, T{0});
      }
    gemm_packed(false, rows, width, wide, du, wide, packed, nullptr, T{1}, dh, width);
    for (int64_t r = 0; r < rows; ++r)
      if (!past_the_end(s, begin + r, time)) {
        std::copy_n(dh + r * width, width, dstate + r * width);
        if (lstm) std::copy_n(dc + r * width, width, dcell + r * width);
      }
  }
}

// The weight of each sequence, packed for h W^T (forward) or du W (backward).
template <typename T>
class PackedWeights {
 public:
  PackedWeights(Cell cell, std::span<const Sequence<T>> sequences, bool backward) {
    for (const Sequence<T>& s : sequences) {
      const int64_t wide = gates_of(cell) * s.width, k = backward ? wide : s.width,
                    n = backward ? s.width : wide;
      T* packed = scratch_.template take<T>(packed_size(k, n));
      pack(!backward, k, n, s.weight, s.width, packed);
      (first_ ? second_ : first_) = packed;
    }
  }
  const T* operator[](size_t i) const { return i == 0 ? first_ : second_; }

 private:
  Scratch scratch_;
  T *first_ = nullptr, *second_ = nullptr;
};

template <typename T>
void forward(Cell cell, std::span<const Sequence<T>> sequences) {
  const PackedWeights<T> weights(cell, sequences, false);
  for_each_block(sequences, [&](size_t i, int64_t begin, int64_t end) {
    forward_block(cell, sequences[i], weights[i], begin, end);
  });
}

template <typename T>
void backward(Cell cell, std::span<const Sequence<T>> sequences, std::span<const SequenceGrads<T>> grads) {
  const PackedWeights<T> weights(cell, sequences, true);
  for_each_block(sequences, [&](size_t i, int64_t begin, int64_t end) {
    backward_block(cell, sequences[i], grads[i], weights[i], begin, end);
  });
}

}  // namespace

void sequence_forward(Cell cell, std::span<const Sequence<float>> sequences) { forward(cell, sequences); }
void sequence_forward(Cell cell, std::span<const Sequence<double>> sequences) { forward(cell, sequences); }
void sequence_backward(Cell cell, std::span<const Sequence<float>> sequences,
                       std::span<const SequenceGrads<float>> grads) {
  backward(cell, sequences, grads);
}
void sequence_backward(Cell cell, std::span<const Sequence<double>> sequences,
                       std::span<const SequenceGrads<double>> grads) {
  backward(cell, sequences, grads);
}

}  // namespace fovea::kernels
