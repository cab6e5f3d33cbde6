// The backward pass of additive attention. It meets each tanh once: with the row's maximum, sum and delta = dout.out known,
// d e[i,j] follows from e[i,j] at once, while the tangents of that pair are still in the nearest cache.
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"
#include "fovea/kernels/attention_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_additive_backward_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/attention_additive-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// u.tanh(q + k), where n is a multiple of the vector length; the tangents are kept.
HWY_INLINE float ScoreKeeping(const float* HWY_RESTRICT q, const float* HWY_RESTRICT k,
                              const float* HWY_RESTRICT u, int64_t n, float* HWY_RESTRICT tangents) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  for (int64_t x = 0; x < n; x += lanes) {
    const auto t = Tanh(d, hn::Add(hn::LoadU(d, q + x), hn::LoadU(d, k + x)));
    hn::StoreU(t, d, tangents + x);
    sum = hn::MulAdd(t, hn::LoadU(d, u + x), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// dq += de (1 - t^2), dk += de (1 - t^2), du += de t. The factor u of dq and dk is applied once, at the end.
HWY_INLINE void SpreadGradient(const float* HWY_RESTRICT tangents, float de, int64_t n,
                               float* HWY_RESTRICT dq, float* HWY_RESTRICT dk, float* HWY_RESTRICT du) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scale = hn::Set(d, de);
  for (int64_t x = 0; x < n; x += lanes) {
    const auto t = hn::LoadU(d, tangents + x);
    const auto inner = hn::NegMulAdd(hn::Mul(t, scale), t, scale);
    hn::StoreU(hn::Add(hn::LoadU(d, dq + x), inner), d, dq + x);
    hn::StoreU(hn::Add(hn::LoadU(d, dk + x), inner), d, dk + x);
    hn::StoreU(hn::MulAdd(t, scale, hn::LoadU(d, du + x)), d, du + x);
  }
}

// All queries of head h against the keys [c0, c1); dk (before its factor u) has rows from c0.
void AdditiveBackwardHead(const AdditiveAttention<float>& a, const AttentionGrads<float>& g,
                          const AttentionPlan& plan, int64_t chunk, int64_t b, int64_t h, int64_t c0,
                          int64_t c1, const Padded& k, float* dk, float* dv, int64_t wide_m) {
  const AttentionSize& n = a.size;
  const AttentionMask<float>& m = a.mask;
  const int64_t kv = h / (n.H / n.G), width = RoundUpToVector(n.D), keys = c1 - c0;
  Scratch scratch;
  const Padded u(a.u + h * a.u_head, n.D, 1, n.D, scratch);
  float* tangents = scratch.take<float>(width);
  float* dq = scratch.take<float>(width);
  float* du = scratch.take<float>(width);
  float* dk_inner = scratch.take<float>(keys * width);
  float* factor = scratch.take<float>(keys);
  const int64_t lanes = RoundUpToPanel(keys);
  float* vt = scratch.take<float>(n.M * lanes);
  float* dw = scratch.take<float>(kAdditiveQueries * lanes);
  float* w = scratch.take<float>(kAdditiveQueries * keys);
  std::fill_n(du, width, 0.0f);
  std::fill_n(dk_inner, keys * width, 0.0f);
  const bool one_query = n.T == 1;  // then laying out v costs more than it saves
  if (!one_query) PackTransposed(a.v.at(b, kv, c0), a.v.row, keys, n.M, 1.0f, vt, lanes);
  for (int64_t begin = 0; begin < n.T; begin += kAdditiveQueries) {
    const int64_t rows = std::min(kAdditiveQueries, n.T - begin);
    Scratch block_scratch;
    const Padded q(a.q.at(b, h, begin), a.q.row, rows, n.D, block_scratch);
    // Only the keys that some row of the block sees, within the chunk: [low, high), counted from c0.
    const Range all = RangeOfRows(m, b, h, begin, rows, c0, c1);
    const int64_t low = all.first < all.last ? all.first - c0 : 0,
                  high = all.first < all.last ? all.last - c0 : 0;
    // dw[i,j] = dout_i . v_j, in whole panels of keys
    const int64_t panel_low = low / Panel() * Panel();
    if (one_query) {
      const hn::ScalableTag<float> d;
      const float* dout = g.dout.at(b, h, begin);
      for (int64_t j = low; j < high; ++j) {
        const float* v = a.v.at(b, kv, c0 + j);
        dw[j] = SumVectors(d, n.M, [&](auto load) HWY_ATTR { return hn::Mul(load(dout), load(v)); });
      }
    } else {
      Product<false, false>(rows, RoundUpToPanel(high - panel_low), n.M, g.dout.at(b, h, begin), g.dout.row,
                            1, vt + panel_low, lanes, dw + panel_low, lanes);
    }
    for (int64_t r = 0; r < rows; ++r) std::fill_n(w + r * keys + low, high - low, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t i = begin + r;
      const float *out = g.out.at(b, h, i), *dout = g.dout.at(b, h, i);
      const RowSoftmax softmax(n, g.rows, b, h, i);
      const Range seen(m, b, h, i, c0, c1);
      std::fill_n(dq, width, 0.0f);
      if (softmax.share != 0 && seen.first < seen.last) {
        float delta = 0;
        for (int64_t c = 0; c < n.M; ++c) delta += out[c] * dout[c];
        if (HasFactor(m)) FactorRow(n, m, b, h, i, seen, factor);
        float centre_grad = 0;
        const float centre = m.centre ? m.centre[b * m.centre_batch + h * m.centre_head + i] : 0.0f;
        for (int64_t j = seen.first; j < seen.last; ++j) {
          const float add = MaskOf(n, m, b, h, i, j);
          if (add == kHidden) continue;
          const int64_t local = j - c0;
          const float e =
              kLog2E * ScoreKeeping(q.data + r * q.ld, k.data + local * k.ld, u.data, width, tangents) + add;
          const float p = softmax.share * std::exp2(e - softmax.max),
                      f = HasFactor(m) ? factor[j - seen.first] : 1.0f;
          const float de = p * (f * dw[r * lanes + local] - delta);
          SpreadGradient(tangents, de, width, dq, dk_inner + local * width, du);
          w[r * keys + local] = p * f;
          if (g.mask.bias) g.mask.bias[b * m.bias_batch + h * m.bias_head + i * m.bias_row + j] += de;
          if (g.mask.diagonal) plan.diagonal(chunk, b, h)[j - i + n.T - 1] += de;
          centre_grad += p * f * dw[r * lanes + local] * (static_cast<float>(j) - centre);
        }
        if (g.mask.centre) plan.centre(chunk, b, h)[i] += centre_grad / (m.sigma * m.sigma);
      }
      if (float* to = plan.dq(chunk, b, h, i))
        for (int64_t x = 0; x < n.D; ++x) to[x] = dq[x] * u.data[x];
    }
    if (dv) {
      const Operand dout(g.dout.at(b, h, begin), g.dout.row, rows, n.M, block_scratch);
      Product<true, true>(high - low, wide_m, rows, w + low, 1, keys, dout.data, dout.ld, dv + low * wide_m,
                          wide_m);
    }
  }
  if (dk)
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t x = 0; x < n.D; ++x) dk[j * n.D + x] += dk_inner[j * width + x] * u.data[x];
  if (float* to = plan.u(chunk, b, h))
    for (int64_t x = 0; x < n.D; ++x) to[x] += du[x];
}

void Deliver(const float* HWY_RESTRICT from, int64_t n, bool add, float* HWY_RESTRICT to) {
  if (add)
    for (int64_t x = 0; x < n; ++x) to[x] += from[x];
  else
    std::copy_n(from, n, to);
}

void AdditiveBackwardTask(const AdditiveAttention<float>& a, const AttentionGrads<float>& g,
                          const AttentionPlan& plan, int64_t task) {
  const AttentionSize& n = a.size;
  const int64_t wide_m = RoundUpToPanel(n.M);
  plan.for_each_pair(task, [&](int64_t b, int64_t kv, int64_t chunk, int64_t c0, int64_t c1) {
    Scratch scratch;
    const Padded k(a.k.at(b, kv, c0), a.k.row, c1 - c0, n.D, scratch);
    float* dk = g.dk.data ? scratch.take<float>((c1 - c0) * n.D) : nullptr;
    float* dv = g.dv.data ? scratch.take<float>((c1 - c0) * wide_m) : nullptr;
    if (dk) std::fill_n(dk, (c1 - c0) * n.D, 0.0f);
    if (dv) std::fill_n(dv, (c1 - c0) * wide_m, 0.0f);
    for (int64_t h = kv * (n.H / n.G); h < (kv + 1) * (n.H / n.G); ++h)
      AdditiveBackwardHead(a, g, plan, chunk, b, h, c0, c1, k, dk, dv, wide_m);
    for (int64_t j = c0; j < c1; ++j) {
      if (dk) Deliver(dk + (j - c0) * n.D, n.D, g.add_keys, g.dk.at(b, kv, j));
      if (dv) Deliver(dv + (j - c0) * wide_m, n.M, g.add_keys, g.dv.at(b, kv, j));
    }
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(AdditiveBackwardTask);

void attention_backward(const AdditiveAttention<float>& a, const AttentionGrads<float>& g) {
  Scratch scratch;
  const AttentionPlan plan(a.size, a.mask, g, kAdditiveChunk, scratch);
  parallel_for(plan.tasks(), [&](int64_t task) {
    HWY_DYNAMIC_DISPATCH(AdditiveBackwardTask)(a, g, plan, task);
  });
  plan.finish(a.u_head);
}
}  // namespace fovea::kernels
#endif
