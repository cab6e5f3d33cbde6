#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/recurrent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/recurrent_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <Cell kCell>
HWY_INLINE void ForwardRow(int64_t width, const CellStep<float>& s) {
  const hn::ScalableTag<float> d;
  const int64_t w1 = width, w2 = 2 * width, w3 = 3 * width;
  ForVectors(d, width, [&](int64_t, auto load, auto store) HWY_ATTR {
    auto sum = [&](int64_t gate) HWY_ATTR { return hn::Add(load(s.x + gate), load(s.u + gate)); };
    if constexpr (kCell == Cell::kTanh) {
      const auto h = Tanh(d, sum(0));
      store(h, s.gates);
      store(h, s.h_next);
    } else if constexpr (kCell == Cell::kGru) {
      const auto reset = Sigmoid(d, sum(0)), keep = Sigmoid(d, sum(w1));
      const auto fresh = Tanh(d, hn::MulAdd(reset, load(s.u + w2), load(s.x + w2)));
      const auto h = hn::MulAdd(keep, hn::Sub(load(s.h), fresh), fresh);
      store(reset, s.gates);
      store(keep, s.gates + w1);
      store(fresh, s.gates + w2);
      store(h, s.h_next);
    } else {
      const auto in = Sigmoid(d, sum(0)), forget = Sigmoid(d, sum(w1));
      const auto fresh = Tanh(d, sum(w2)), out = Sigmoid(d, sum(w3));
      const auto c = hn::MulAdd(forget, load(s.c), hn::Mul(in, fresh));
      store(in, s.gates);
      store(forget, s.gates + w1);
      store(fresh, s.gates + w2);
      store(out, s.gates + w3);
      store(c, s.c_next);
      store(hn::Mul(out, Tanh(d, c)), s.h_next);
    }
  });
}

template <Cell kCell>
HWY_INLINE void BackwardRow(int64_t width, const CellStepGrads<float>& g) {
  const hn::ScalableTag<float> d;
  const auto one = hn::Set(d, 1.0f);
  const int64_t w1 = width, w2 = 2 * width, w3 = 3 * width;
  ForVectors(d, width, [&](int64_t, auto load, auto store) HWY_ATTR {
    const auto dh = load(g.dh_next);
    auto slope = [&](auto gate) HWY_ATTR { return hn::NegMulAdd(gate, gate, gate); };  // of s: s (1 - s)
    auto both = [&](auto v, int64_t gate) HWY_ATTR {
      store(v, g.dx + gate);
      store(v, g.du + gate);
    };
    if constexpr (kCell == Cell::kTanh) {
      const auto h = load(g.gates);
      both(hn::Mul(dh, hn::NegMulAdd(h, h, one)), 0);
      if (g.dh) store(hn::Zero(d), g.dh);
    } else if constexpr (kCell == Cell::kGru) {
      const auto reset = load(g.gates), keep = load(g.gates + w1), fresh = load(g.gates + w2);
      const auto dn = hn::Mul(hn::NegMulAdd(dh, keep, dh), hn::NegMulAdd(fresh, fresh, one));
      const auto dr = hn::Mul(hn::Mul(dn, load(g.u + w2)), slope(reset));
      const auto dz = hn::Mul(hn::Mul(dh, hn::Sub(load(g.h), fresh)), slope(keep));
      both(dr, 0);
      both(dz, w1);
      store(dn, g.dx + w2);
      store(hn::Mul(dn, reset), g.du + w2);
      if (g.dh) store(hn::Mul(dh, keep), g.dh);
    } else {
      const auto in = load(g.gates), forget = load(g.gates + w1), fresh = load(g.gates + w2),
                 out = load(g.gates + w3);
      const auto t = Tanh(d, load(g.c_next));
      const auto dc = hn::MulAdd(hn::Mul(dh, out), hn::NegMulAdd(t, t, one), load(g.dc_next));
      both(hn::Mul(hn::Mul(dc, fresh), slope(in)), 0);
      both(hn::Mul(hn::Mul(dc, load(g.c)), slope(forget)), w1);
      both(hn::Mul(hn::Mul(dc, in), hn::NegMulAdd(fresh, fresh, one)), w2);
      both(hn::Mul(hn::Mul(dh, t), slope(out)), w3);
      store(hn::Mul(dc, forget), g.dc);
      if (g.dh) store(hn::Zero(d), g.dh);
    }
  });
}

template <Cell kCell>
void ForwardRows(int64_t begin, int64_t end, int64_t width, const CellStep<float>& step) {
  constexpr int64_t kGates = gates_of(kCell);
  for (int64_t r = begin; r < end; ++r) {
    CellStep<float> row = step;
    row.x += r * step.ldx;
    row.u += r * kGates * width;
    row.gates += r * kGates * width;
    row.h += r * width;
    row.h_next += r * width;
    if (kCell == Cell::kLstm) {
      row.c += r * width;
      row.c_next += r * width;
    }
    ForwardRow<kCell>(width, row);
  }
}

template <Cell kCell>
void BackwardRows(int64_t begin, int64_t end, int64_t width, const CellStepGrads<float>& grads) {
  constexpr int64_t kGates = gates_of(kCell);
  for (int64_t r = begin; r < end; ++r) {
    CellStepGrads<float> row = grads;
    row.gates += r * kGates * width;
    row.dx += r * grads.lddx;
    row.du += r * kGates * width;
    row.dh_next += r * width;
    if (grads.dh) row.dh += r * width;
    if (kCell == Cell::kGru) {
      row.u += r * kGates * width;
      row.h += r * width;
    }
    if (kCell == Cell::kLstm) {
      row.c += r * width;
      row.c_next += r * width;
      row.dc_next += r * width;
      row.dc += r * width;
    }
    BackwardRow<kCell>(width, row);
  }
}

void CellForward(Cell cell, int64_t begin, int64_t end, int64_t width, const CellStep<float>& step) {
  if (cell == Cell::kTanh) ForwardRows<Cell::kTanh>(begin, end, width, step);
  if (cell == Cell::kGru) ForwardRows<Cell::kGru>(begin, end, width, step);
  if (cell == Cell::kLstm) ForwardRows<Cell::kLstm>(begin, end, width, step);
}
void CellBackward(Cell cell, int64_t begin, int64_t end, int64_t width, const CellStepGrads<float>& grads) {
  if (cell == Cell::kTanh) BackwardRows<Cell::kTanh>(begin, end, width, grads);
  if (cell == Cell::kGru) BackwardRows<Cell::kGru>(begin, end, width, grads);
  if (cell == Cell::kLstm) BackwardRows<Cell::kLstm>(begin, end, width, grads);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(CellForward);
HWY_EXPORT(CellBackward);

namespace {
int64_t rows_at_once(int64_t width) { return std::max<int64_t>(1, 4096 / std::max<int64_t>(1, width)); }
}  // namespace

void cell_forward(Cell cell, int64_t rows, int64_t width, const CellStep<float>& step) {
  parallel_ranges(rows, rows_at_once(width), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(CellForward)(cell, begin, end, width, step);
  });
}
void cell_backward(Cell cell, int64_t rows, int64_t width, const CellStepGrads<float>& grads) {
  parallel_ranges(rows, rows_at_once(width), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(CellBackward)(cell, begin, end, width, grads);
  });
}
}  // namespace fovea::kernels
#endif
