// Additive attention, e[i,j] = u.tanh(q_i + k_j), without the array of B * T * S * D hyperbolic tangents: a
// row of scores is made, used and forgotten. Backward meets each tanh once: with the row's log-sum-exp and
// delta known, d e[i,j] follows from e[i,j] at once, while the tangents of that pair are still in the nearest
// cache.
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"
#include "fovea/kernels/attention_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_additive_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/attention_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

HWY_INLINE int64_t RoundUpToVector(int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  return (n + lanes - 1) / lanes * lanes;
}

// u.tanh(q + k); n is a multiple of the vector length.
HWY_INLINE float Score(const float* HWY_RESTRICT q, const float* HWY_RESTRICT k, const float* HWY_RESTRICT u,
                       int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d);
  for (int64_t x = 0; x < n; x += lanes) {
    const auto t = Tanh(d, hn::Add(hn::LoadU(d, q + x), hn::LoadU(d, k + x)));
    sum = hn::MulAdd(t, hn::LoadU(d, u + x), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// As Score, and keeps the tangents.
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

// What is added to e[i,j], or kHidden.
HWY_INLINE float MaskOf(const AttentionSize& n, const AttentionMask<float>& m, int64_t b, int64_t h,
                        int64_t i, int64_t j) {
  if (m.visible && !m.visible[b * m.visible_batch + h * m.visible_head + i * m.visible_row + j])
    return kHidden;
  float add = 0;
  if (m.bias) add += m.bias[b * m.bias_batch + h * m.bias_head + i * m.bias_row + j];
  if (m.diagonal) add += m.diagonal[h * m.diagonal_head + j - i + n.T - 1];
  return add;
}

// The keys [first, last) of row i, cut to [from, to).
struct Range {
  int64_t first, last;
  Range(const AttentionMask<float>& m, int64_t b, int64_t h, int64_t i, int64_t from, int64_t to)
      : first(from), last(to) {
    const int64_t at = b * m.range_batch + h * m.range_head + i;
    if (m.first) first = std::max<int64_t>(first, m.first[at]);
    if (m.last) last = std::min<int64_t>(last, m.last[at]);
  }
};

// factor[j - first] = gauss * keep for keys of one row.
void FactorRow(const AttentionSize& n, const AttentionMask<float>& m, int64_t b, int64_t h, int64_t i,
               Range keys, float* factor) {
  if (m.dropout > 0)
    attention_dropout_row(n, m.dropout, m.seed, m.step, b, h, i, keys.first, keys.last, factor);
  else
    std::fill_n(factor, keys.last - keys.first, 1.0f);
  if (!m.centre) return;
  const float centre = m.centre[b * m.centre_batch + h * m.centre_head + i];
  for (int64_t j = keys.first; j < keys.last; ++j) {
    const float away = (static_cast<float>(j) - centre) / m.sigma;
    factor[j - keys.first] *= std::exp(-0.5f * away * away);
  }
}

// Rows of D numbers, padded with zeros to whole vectors: in place where they are whole already.
struct Padded {
  const float* data;
  int64_t ld;
  Padded(const float* from, int64_t row, int64_t rows, int64_t width, Scratch& scratch)
      : data(from), ld(row) {
    if (RoundUpToVector(width) == width) return;
    ld = RoundUpToVector(width);
    float* copy = scratch.take<float>(rows * ld);
    PackRows(from, row, rows, width, copy, ld);
    data = copy;
  }
};

// Scores of row i against its visible keys, hidden ones kHidden; e[j] for j in `keys`.
void ScoreRow(const AdditiveAttention<float>& a, int64_t b, int64_t h, int64_t i, Range keys, const float* q,
              const Padded& k, const float* u, int64_t width, float* e) {
  for (int64_t j = keys.first; j < keys.last; ++j) {
    const float add = MaskOf(a.size, a.mask, b, h, i, j);
    e[j] = add == kHidden ? kHidden : Score(q, k.data + j * k.ld, u, width) + add;
  }
}

// e[first..last) -= shift, then exp.
void ExpRow(float* e, Range keys, float shift) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const hn::CappedTag<float, 1> d1;
  int64_t j = keys.first;
  for (; j + lanes <= keys.last; j += lanes)
    hn::StoreU(Exp(d, hn::Sub(hn::LoadU(d, e + j), hn::Set(d, shift))), d, e + j);
  for (; j < keys.last; ++j) hn::StoreU(Exp(d1, hn::Set(d1, e[j] - shift)), d1, e + j);
}

void AdditiveForwardBlock(const AdditiveAttention<float>& a, HeadRows<float> out, float* lse, int64_t b,
                          int64_t h, int64_t begin) {
  const AttentionSize& n = a.size;
  const int64_t kv = h / (n.H / n.G), rows = std::min(kAdditiveQueries, n.T - begin);
  const int64_t width = RoundUpToVector(n.D), wide_m = RoundUpToPanel(n.M);
  Scratch scratch;
  const Padded q(a.q.at(b, h, begin), a.q.row, rows, n.D, scratch);
  const Padded k(a.k.at(b, kv, 0), a.k.row, n.S, n.D, scratch);
  const Padded u(a.u + h * a.u_head, n.D, 1, n.D, scratch);
  const float* v = a.v.at(b, kv, 0);
  int64_t ldv = a.v.row;
  if (wide_m != n.M) {
    float* copy = scratch.take<float>(n.S * wide_m);
    PackRows(v, ldv, n.S, n.M, copy, wide_m);
    v = copy;
    ldv = wide_m;
  }
  float* e = scratch.take<float>(kAdditiveQueries * n.S);
  float* factor = scratch.take<float>(n.S);
  float* o = scratch.take<float>(kAdditiveQueries * wide_m);
  float scale[kAdditiveQueries];
  std::fill_n(e, rows * n.S, 0.0f);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = begin + r;
    const Range keys(a.mask, b, h, i, 0, n.S);
    float* row = e + r * n.S;
    ScoreRow(a, b, h, i, keys, q.data + r * q.ld, k, u.data, width, row);
    float max = kHidden, poison = 0, sum = 0;
    for (int64_t j = keys.first; j < keys.last; ++j) {
      max = std::max(max, row[j]);
      poison += row[j];
    }
    const bool hidden = max == kHidden;
    ExpRow(row, keys, hidden ? 0.0f : max);
    for (int64_t j = keys.first; j < keys.last; ++j) sum += row[j];
    if (HasFactor(a.mask) && keys.first < keys.last) {
      FactorRow(n, a.mask, b, h, i, keys, factor);
      for (int64_t j = keys.first; j < keys.last; ++j) row[j] *= factor[j - keys.first];
    }
    const bool bad = std::isnan(poison);
    scale[r] = bad ? poison : hidden ? 0.0f : 1.0f / sum;
    lse[(b * n.H + h) * n.T + i] = bad ? poison : hidden ? kHidden : max + std::log(sum);
  }
  Product<false, false>(rows, wide_m, n.S, e, n.S, 1, v, ldv, o, wide_m);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < n.M; ++c) out.at(b, h, begin + r)[c] = scale[r] * o[r * wide_m + c];
}

void AdditiveWeightsRow(const AdditiveAttention<float>& a, const float* lse, int64_t b, int64_t h, int64_t i,
                        float* w) {
  const AttentionSize& n = a.size;
  Scratch scratch;
  const Padded q(a.q.at(b, h, i), a.q.row, 1, n.D, scratch);
  const Padded k(a.k.at(b, h / (n.H / n.G), 0), a.k.row, n.S, n.D, scratch);
  const Padded u(a.u + h * a.u_head, n.D, 1, n.D, scratch);
  const Range keys(a.mask, b, h, i, 0, n.S);
  std::fill_n(w, n.S, 0.0f);
  const float total = lse[(b * n.H + h) * n.T + i];
  if (total == kHidden || keys.first >= keys.last) return;
  ScoreRow(a, b, h, i, keys, q.data, k, u.data, RoundUpToVector(n.D), w);
  ExpRow(w, keys, total);
  if (!a.mask.centre) return;
  AttentionMask<float> factors = a.mask;
  factors.dropout = 0;
  float* factor = scratch.take<float>(n.S);
  FactorRow(n, factors, b, h, i, keys, factor);
  for (int64_t j = keys.first; j < keys.last; ++j) w[j] *= factor[j - keys.first];
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
  PackTransposed(a.v.at(b, kv, c0), a.v.row, keys, n.M, 1.0f, vt, lanes);
  for (int64_t begin = 0; begin < n.T; begin += kAdditiveQueries) {
    const int64_t rows = std::min(kAdditiveQueries, n.T - begin);
    Scratch block_scratch;
    const Padded q(a.q.at(b, h, begin), a.q.row, rows, n.D, block_scratch);
    // dw[i,j] = dout_i . v_j
    Product<false, false>(rows, lanes, n.M, g.dout.at(b, h, begin), g.dout.row, 1, vt, lanes, dw, lanes);
    std::fill_n(w, rows * keys, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t i = begin + r;
      const float *out = g.out.at(b, h, i), *dout = g.dout.at(b, h, i);
      const float total = g.lse[(b * n.H + h) * n.T + i];
      const Range seen(m, b, h, i, c0, c1);
      std::fill_n(dq, width, 0.0f);
      if (total != kHidden && seen.first < seen.last) {
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
              ScoreKeeping(q.data + r * q.ld, k.data + local * k.ld, u.data, width, tangents) + add;
          const float p = std::exp(e - total), f = HasFactor(m) ? factor[j - seen.first] : 1.0f;
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
      const float* dout = g.dout.at(b, h, begin);
      int64_t ld = g.dout.row;
      if (wide_m != n.M) {
        float* copy = block_scratch.take<float>(rows * wide_m);
        PackRows(dout, ld, rows, n.M, copy, wide_m);
        dout = copy;
        ld = wide_m;
      }
      Product<true, true>(keys, wide_m, rows, w, 1, keys, dout, ld, dv, wide_m);
    }
  }
  if (dk)
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t x = 0; x < n.D; ++x) dk[j * n.D + x] += dk_inner[j * width + x] * u.data[x];
  if (float* to = plan.u(chunk, b, h))
    for (int64_t x = 0; x < n.D; ++x) to[x] += du[x];
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
      if (dk) std::copy_n(dk + (j - c0) * n.D, n.D, g.dk.at(b, kv, j));
      if (dv) std::copy_n(dv + (j - c0) * wide_m, n.M, g.dv.at(b, kv, j));
    }
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(AdditiveForwardBlock);
HWY_EXPORT(AdditiveWeightsRow);
HWY_EXPORT(AdditiveBackwardTask);

void attention_forward(const AdditiveAttention<float>& a, HeadRows<float> out, float* lse) {
  const int64_t blocks = (a.size.T + kAdditiveQueries - 1) / kAdditiveQueries;
  parallel_for(a.size.B * a.size.H * blocks, [&](int64_t task) {
    const int64_t bh = task / blocks;
    HWY_DYNAMIC_DISPATCH(AdditiveForwardBlock)
    (a, out, lse, bh / a.size.H, bh % a.size.H, task % blocks * kAdditiveQueries);
  });
}

void attention_weights(const AdditiveAttention<float>& a, const float* lse, int64_t b, int64_t h,
                       int64_t begin, int64_t end, float* w) {
  parallel_for(end - begin, [&](int64_t r) {
    HWY_DYNAMIC_DISPATCH(AdditiveWeightsRow)(a, lse, b, h, begin + r, w + r * a.size.S);
  });
}

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
