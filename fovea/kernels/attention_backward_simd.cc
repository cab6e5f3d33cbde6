// The backward pass of FlashAttention-2 (Dao 2023): weights are rebuilt tile by tile from each row's
// maximum and sum, and five small products a tile give dq, dk and dv. With delta_i = dout_i . out_i and f = gauss
// * keep:
//   p = exp(e - max) / sum     dv_j += sum_i p f dout_i     dw = dout_i . v_j
//   de = p (f dw - delta)     dq_i += scale sum_j de k_j     dk_j += scale sum_i de q_i
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"
#include "fovea/kernels/attention_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_backward_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/attention_block-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Per lane: maximum and share (of RowSoftmax), and delta.
struct RowNumbers {
  alignas(64) float max[kQueries], share[kQueries], delta[kQueries];
  RowNumbers(const AttentionSize& n, const AttentionGrads<float>& g, const QueryBlock& block) {
    for (int64_t r = 0; r < block.lanes; ++r) {
      const int64_t i = block.begin + r;
      const RowSoftmax row = r < block.rows ? RowSoftmax(n, g.rows, block.b, block.h, i) : RowSoftmax();
      max[r] = row.max;
      share[r] = row.share;
      delta[r] = 0;
      if (r >= block.rows) continue;
      const float *out = g.out.at(block.b, block.h, i), *dout = g.dout.at(block.b, block.h, i);
      delta[r] = SumVectors(hn::ScalableTag<float>(), n.M,
                            [&](auto load) HWY_ATTR { return hn::Mul(load(out), load(dout)); });
    }
  }
};

// On entry p holds scores (units of log 2) and de holds dw; on return p holds p f and de holds d e. A panel
// of lanes.
void GradientPanel(float* HWY_RESTRICT p, float* HWY_RESTRICT de, int64_t ld, int64_t keys, const float* max,
                   const float* share, const float* delta, const float* factor, int64_t ldf) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < Panel(); c += n) {
    const auto most = hn::LoadU(d, max + c), part = hn::LoadU(d, share + c), minus = hn::LoadU(d, delta + c);
    for (int64_t j = 0; j < keys; ++j) {
      float *at = p + j * ld + c, *to = de + j * ld + c;
      const auto weight = hn::Mul(part, Exp2(d, hn::Sub(hn::LoadU(d, at), most)));
      auto dw = hn::LoadU(d, to);
      if (factor) {
        const auto f = hn::LoadU(d, factor + j * ldf + c);
        dw = hn::Mul(dw, f);
        hn::StoreU(hn::Mul(weight, f), d, at);
      } else {
        hn::StoreU(weight, d, at);
      }
      hn::StoreU(hn::Mul(weight, hn::Sub(dw, minus)), d, to);
    }
  }
}

// Adds the panel's de to the gradients of bias and diagonal. `diagonal` is indexed as
// AttentionMask::diagonal.
void MaskGradients(const AttentionSize& n, const AttentionMask<float>& m, const QueryBlock& block,
                   int64_t lane0, int64_t j0, int64_t j1, const float* de, int64_t ld, float* bias,
                   float* diagonal) {
  const int64_t rows = std::clamp<int64_t>(block.rows - lane0, 0, Panel());
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = block.begin + lane0 + r;
    if (bias) {
      float* to = bias + block.b * m.bias_batch + block.h * m.bias_head + i * m.bias_row;
      for (int64_t j = j0; j < j1; ++j) to[j] += de[(j - j0) * ld + r];
    }
    if (diagonal)
      for (int64_t j = j0; j < j1; ++j) diagonal[j - i + n.T - 1] += de[(j - j0) * ld + r];
  }
}

// d centre_i += sum_j p f dw (j - centre) / sigma^2, where pf and dw are the panel's.
void CentreGradients(const AttentionMask<float>& m, const QueryBlock& block, int64_t lane0, int64_t j0,
                     int64_t j1, const float* pf, int64_t ldp, const float* dw, int64_t ldw,
                     float* centre_grad) {
  const int64_t rows = std::clamp<int64_t>(block.rows - lane0, 0, Panel());
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = block.begin + lane0 + r;
    const float centre = m.centre[block.b * m.centre_batch + block.h * m.centre_head + i];
    float sum = 0;
    for (int64_t j = j0; j < j1; ++j)
      sum += pf[(j - j0) * ldp + r] * dw[(j - j0) * ldw + r] * (static_cast<float>(j) - centre);
    centre_grad[i] += sum / (m.sigma * m.sigma);
  }
}

// to[r, 0..width) = scale * from[r, 0..width), or with `add` is added to.
void WriteRows(const float* from, int64_t ld, int64_t rows, int64_t width, float scale, float* to,
               int64_t row, bool add = false) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, scale);
  for (int64_t r = 0; r < rows; ++r, from += ld, to += row)
    ForVectors(d, width, [&](int64_t, auto load, auto store) HWY_ATTR {
      const auto x = hn::Mul(factor, load(from));
      store(add ? hn::Add(x, load(to)) : x, to);
    });
}

// One block of queries of head h against the keys [c0, c1) of its key/value head; dk and dv have rows from
// c0.
void DotBackwardBlock(const DotAttention<float>& a, const AttentionGrads<float>& g, const AttentionPlan& plan,
                      int64_t chunk, const QueryBlock& block, const float* diagonal, int64_t c0, int64_t c1,
                      const Operand& k, float* dk, float* dv) {
  const AttentionSize& n = a.size;
  const int64_t lanes = block.lanes, b = block.b, h = block.h, kv = h / (n.H / n.G), panel = Panel();
  const int64_t wide_d = RoundUpToPanel(n.D), wide_m = RoundUpToPanel(n.M);
  float* dq_to = plan.dq(chunk, b, h, block.begin);
  const int64_t dq_row = block.rows > 1 && dq_to ? plan.dq(chunk, b, h, block.begin + 1) - dq_to : n.D;
  const int64_t low = std::max<int64_t>(block.any_first, c0), high = std::min<int64_t>(block.any_last, c1);
  Scratch scratch;
  float* dq = scratch.take<float>(lanes * wide_d);
  std::fill_n(dq, lanes * wide_d, 0.0f);
  if (low < high) {
    const RowNumbers numbers(n, g, block);
    float* qt = scratch.take<float>(n.D * lanes);
    float* dot = scratch.take<float>(n.M * lanes);
    float* p = scratch.take<float>(kBackwardKeys * lanes);
    float* de = scratch.take<float>(kBackwardKeys * lanes);
    float* factor = HasFactor(a.mask) ? scratch.take<float>(kBackwardKeys * panel) : nullptr;
    float* dw = g.mask.centre ? scratch.take<float>(kBackwardKeys * panel) : nullptr;
    PackTransposed(a.q.at(b, h, block.begin), a.q.row, block.rows, n.D, a.scale * kLog2E, qt, lanes);
    PackTransposed(g.dout.at(b, h, block.begin), g.dout.row, block.rows, n.M, 1.0f, dot, lanes);
    const Operand q(a.q.at(b, h, block.begin), a.q.row, block.rows, n.D, scratch);
    const Operand dout(g.dout.at(b, h, block.begin), g.dout.row, block.rows, n.M, scratch);
    const bool masked = a.mask.bias || a.mask.visible || diagonal;

    for (int64_t j0 = c0 + (low - c0) / kBackwardKeys * kBackwardKeys; j0 < high; j0 += kBackwardKeys) {
      const int64_t j1 = std::min(j0 + kBackwardKeys, high);
      int64_t first_lane = lanes, last_lane = 0;  // lanes that see any of these keys
      for (int64_t lane0 = 0; lane0 < block.rows; lane0 += panel) {
        int32_t seen_first, seen_last;
        block.Span(lane0, lane0 + panel, &seen_first, &seen_last);
        const int64_t from = std::max<int64_t>(seen_first, j0), to = std::min<int64_t>(seen_last, j1),
                      keys = to - from;
        float *pp = p + lane0, *pe = de + lane0;
        for (int64_t j = j0; j < j1; ++j) {
          if (from <= j && j < to) continue;
          std::fill_n(pp + (j - j0) * lanes, panel, 0.0f);
          std::fill_n(pe + (j - j0) * lanes, panel, 0.0f);
        }
        if (keys <= 0) continue;
        first_lane = std::min(first_lane, lane0);
        last_lane = std::min(lane0 + panel, block.rows);
        pp += (from - j0) * lanes;
        pe += (from - j0) * lanes;
        Product<false, false>(keys, panel, n.D, k.data + (from - c0) * k.ld, k.ld, 1, qt + lane0, lanes, pp,
                              lanes);
        if (masked || !block.SeesAll(lane0, lane0 + panel, from, to))
          MaskPanel(a.mask, block, lane0, from, to, diagonal, pp, lanes);
        Product<false, false>(keys, panel, n.M, a.v.at(b, kv, from), a.v.row, 1, dot + lane0, lanes, pe,
                              lanes);
        if (factor) FactorPanel(n, a.mask, block, lane0, from, to, factor, panel);
        if (dw)
          for (int64_t j = 0; j < keys; ++j) std::copy_n(pe + j * lanes, panel, dw + j * panel);
        GradientPanel(pp, pe, lanes, keys, numbers.max + lane0, numbers.share + lane0, numbers.delta + lane0,
                      factor, panel);
        if (g.mask.bias || g.mask.diagonal)
          MaskGradients(n, a.mask, block, lane0, from, to, pe, lanes, g.mask.bias,
                        plan.diagonal(chunk, b, h));
        if (dw)
          CentreGradients(a.mask, block, lane0, from, to, pp, lanes, dw, panel, plan.centre(chunk, b, h));
        if (dq_to)
          Product<true, true>(panel, wide_d, keys, pe, 1, lanes, k.data + (from - c0) * k.ld, k.ld,
                              dq + lane0 * wide_d, wide_d);
      }
      if (first_lane >= last_lane) continue;
      const int64_t queries = last_lane - first_lane, rows = j1 - j0;
      if (dv)
        Product<true, false>(rows, wide_m, queries, p + first_lane, lanes, 1,
                             dout.data + first_lane * dout.ld, dout.ld, dv + (j0 - c0) * wide_m, wide_m);
      if (dk)
        Product<true, false>(rows, wide_d, queries, de + first_lane, lanes, 1, q.data + first_lane * q.ld,
                             q.ld, dk + (j0 - c0) * wide_d, wide_d);
    }
  }
  if (dq_to) WriteRows(dq, wide_d, block.rows, n.D, a.scale, dq_to, dq_row);
}

void DotBackwardTask(const DotAttention<float>& a, const AttentionGrads<float>& g, const AttentionPlan& plan,
                     int64_t task) {
  const AttentionSize& n = a.size;
  const int64_t wide_d = RoundUpToPanel(n.D), wide_m = RoundUpToPanel(n.M);
  plan.for_each_pair(task, [&](int64_t b, int64_t kv, int64_t chunk, int64_t c0, int64_t c1) {
    Scratch scratch;
    const Operand k(a.k.at(b, kv, c0), a.k.row, c1 - c0, n.D, scratch);
    float* dk = g.dk.data ? scratch.take<float>((c1 - c0) * wide_d) : nullptr;
    float* dv = g.dv.data ? scratch.take<float>((c1 - c0) * wide_m) : nullptr;
    if (dk) std::fill_n(dk, (c1 - c0) * wide_d, 0.0f);
    if (dv) std::fill_n(dv, (c1 - c0) * wide_m, 0.0f);
    for (int64_t h = kv * (n.H / n.G); h < (kv + 1) * (n.H / n.G); ++h) {
      Scratch head_scratch;
      const float* diagonal = ReverseDiagonal(n, a.mask, h, head_scratch);
      for (int64_t begin = 0; begin < n.T; begin += kQueries)
        DotBackwardBlock(a, g, plan, chunk, QueryBlock(n, a.mask, b, h, begin), diagonal, c0, c1, k, dk, dv);
    }
    if (dk) WriteRows(dk, wide_d, c1 - c0, n.D, a.scale, g.dk.at(b, kv, c0), g.dk.row, g.add_keys);
    if (dv) WriteRows(dv, wide_m, c1 - c0, n.M, 1.0f, g.dv.at(b, kv, c0), g.dv.row, g.add_keys);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(DotBackwardTask);

auto chosen(int64_t queries) {
  // The first call of all would find a function that only chooses.
  if (!hwy::GetChosenTarget().IsInitialized()) hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  auto best = HWY_DYNAMIC_DISPATCH(DotBackwardTask);
#if (HWY_TARGETS & HWY_AVX2) && (HWY_TARGETS & HWY_AVX3)
  if (queries <= kFewQueries && best == &N_AVX3::DotBackwardTask) best = &N_AVX2::DotBackwardTask;
#endif
  return best;
}

}  // namespace

void attention_backward(const DotAttention<float>& a, const AttentionGrads<float>& g) {
  const auto run_task = chosen(a.size.T);
  Scratch scratch;
  const AttentionPlan plan(a.size, a.mask, g, kBackwardKeys, scratch);
  parallel_for(plan.tasks(), [&](int64_t task) { run_task(a, g, plan, task); });
  plan.finish(0);
}
}  // namespace fovea::kernels
#endif
