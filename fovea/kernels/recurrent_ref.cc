#include <cmath>

#include "fovea/kernels/recurrent.h"

namespace fovea::kernels {
namespace ref {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

template <typename T>
void cell_forward(Cell cell, int64_t rows, int64_t width, const CellStep<T>& s) {
  const int64_t wide = gates_of(cell) * width;
  for (int64_t r = 0; r < rows; ++r) {
    const T *x = s.x + r * s.ldx, *u = s.u + r * wide;
    T* gates = s.gates + r * wide;
    for (int64_t j = 0; j < width; ++j) {
      const int64_t at = r * width + j, j1 = j + width, j2 = j1 + width, j3 = j2 + width;
      if (cell == Cell::kTanh) {
        s.h_next[at] = gates[j] = static_cast<T>(std::tanh(x[j] + u[j]));
      } else if (cell == Cell::kGru) {
        const double reset = logistic(x[j] + u[j]), keep = logistic(x[j1] + u[j1]);
        const double fresh = std::tanh(x[j2] + reset * u[j2]);
        gates[j] = static_cast<T>(reset);
        gates[j1] = static_cast<T>(keep);
        gates[j2] = static_cast<T>(fresh);
        s.h_next[at] = static_cast<T>((1 - keep) * fresh + keep * s.h[at]);
      } else {
        const double in = logistic(x[j] + u[j]), forget = logistic(x[j1] + u[j1]);
        const double fresh = std::tanh(x[j2] + u[j2]), out = logistic(x[j3] + u[j3]);
        gates[j] = static_cast<T>(in);
        gates[j1] = static_cast<T>(forget);
        gates[j2] = static_cast<T>(fresh);
        gates[j3] = static_cast<T>(out);
        const double c = forget * s.c[at] + in * fresh;
        s.c_next[at] = static_cast<T>(c);
        s.h_next[at] = static_cast<T>(out * std::tanh(c));
      }
    }
  }
}

template <typename T>
void cell_backward(Cell cell, int64_t rows, int64_t width, const CellStepGrads<T>& g) {
  const int64_t wide = gates_of(cell) * width;
  for (int64_t r = 0; r < rows; ++r) {
    const T *gates = g.gates + r * wide, *u = g.u ? g.u + r * wide : nullptr;
    T *dx = g.dx + r * g.lddx, *du = g.du + r * wide;
    for (int64_t j = 0; j < width; ++j) {
      const int64_t at = r * width + j, j1 = j + width, j2 = j1 + width, j3 = j2 + width;
      const double dh = g.dh_next[at];
      double through = 0;  // to h_{t-1}, not by way of u
      if (cell == Cell::kTanh) {
        dx[j] = du[j] = static_cast<T>(dh * (1 - static_cast<double>(gates[j]) * gates[j]));
      } else if (cell == Cell::kGru) {
        const double reset = gates[j], keep = gates[j1], fresh = gates[j2], u_n = u[j2];
        const double dn = dh * (1 - keep) * (1 - fresh * fresh);
        const double dz = dh * (g.h[at] - fresh) * keep * (1 - keep);
        const double dr = dn * u_n * reset * (1 - reset);
        dx[j] = du[j] = static_cast<T>(dr);
        dx[j1] = du[j1] = static_cast<T>(dz);
        dx[j2] = static_cast<T>(dn);
        du[j2] = static_cast<T>(dn * reset);
        through = dh * keep;
      } else {
        const double in = gates[j], forget = gates[j1], fresh = gates[j2], out = gates[j3];
        const double t = std::tanh(static_cast<double>(g.c_next[at]));
        const double dc = g.dc_next[at] + dh * out * (1 - t * t);
        dx[j] = du[j] = static_cast<T>(dc * fresh * in * (1 - in));
        dx[j1] = du[j1] = static_cast<T>(dc * g.c[at] * forget * (1 - forget));
        dx[j2] = du[j2] = static_cast<T>(dc * in * (1 - fresh * fresh));
        dx[j3] = du[j3] = static_cast<T>(dh * t * out * (1 - out));
        g.dc[at] = static_cast<T>(dc * forget);
      }
      if (g.dh) g.dh[at] = static_cast<T>(through);
    }
  }
}

template void cell_forward(Cell, int64_t, int64_t, const CellStep<float>&);
template void cell_backward(Cell, int64_t, int64_t, const CellStepGrads<float>&);

}  // namespace ref

void cell_forward(Cell cell, int64_t rows, int64_t width, const CellStep<double>& step) {
  ref::cell_forward(cell, rows, width, step);
}
void cell_backward(Cell cell, int64_t rows, int64_t width, const CellStepGrads<double>& grads) {
  ref::cell_backward(cell, rows, width, grads);
}

}  // namespace fovea::kernels
