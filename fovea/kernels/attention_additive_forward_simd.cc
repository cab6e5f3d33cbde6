// Additive attention, e[i,j] = u.tanh(q_i + k_j), without the array of B * T * S * D hyperbolic tangents: a row of scores is
// made, used and forgotten.
#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/attention_blocks.h"
#include "fovea/kernels/blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attention_additive_forward_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/attention_additive-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

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

// Scores of row i against its visible keys in units of log 2, hidden ones kHidden: e[j - keys.first]. k starts at key k_first.
void ScoreRow(const AdditiveAttention<float>& a, int64_t b, int64_t h, int64_t i, Range keys, const float* q,
              const Padded& k, int64_t k_first, const float* u, float* e) {
  for (int64_t j = keys.first; j < keys.last; ++j) {
    const float add = MaskOf(a.size, a.mask, b, h, i, j);
    const float* key = k.data + (j - k_first) * k.ld;
    e[j - keys.first] = add == kHidden ? kHidden : kLog2E * Score(q, key, u, RoundUpToVector(a.size.D)) + add;
  }
}

// e[x] = exp2(e[x] - shift).
void Exp2Row(float* e, int64_t n, float shift) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const hn::CappedTag<float, 1> d1;
  int64_t x = 0;
  for (; x + lanes <= n; x += lanes)
    hn::StoreU(Exp2(d, hn::Sub(hn::LoadU(d, e + x), hn::Set(d, shift))), d, e + x);
  for (; x < n; ++x) hn::StoreU(Exp2(d1, hn::Set(d1, e[x] - shift)), d1, e + x);
}

void AdditiveForwardBlock(const AdditiveAttention<float>& a, HeadRows<float> out, SoftmaxRows<float> sums,
                          int64_t b, int64_t h, int64_t begin) {
  const AttentionSize& n = a.size;
  const int64_t kv = h / (n.H / n.G), rows = std::min(kAdditiveQueries, n.T - begin);
  const int64_t wide_m = RoundUpToPanel(n.M);
  // Only the keys that some row of the block sees are touched.
  const Range all = RangeOfRows(a.mask, b, h, begin, rows, 0, n.S);
  const int64_t span = std::max<int64_t>(0, all.last - all.first), from = span ? all.first : 0;
  Scratch scratch;
  const Padded q(a.q.at(b, h, begin), a.q.row, rows, n.D, scratch);
  const Padded k(a.k.at(b, kv, from), a.k.row, span, n.D, scratch);
  const Padded u(a.u + h * a.u_head, n.D, 1, n.D, scratch);
  const Operand v(a.v.at(b, kv, from), a.v.row, span, n.M, scratch);
  float* e = scratch.take<float>(kAdditiveQueries * span);
  float* factor = scratch.take<float>(span);
  float* o = scratch.take<float>(kAdditiveQueries * wide_m);
  float scale[kAdditiveQueries];
  std::fill_n(e, rows * span, 0.0f);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t i = begin + r;
    const Range keys(a.mask, b, h, i, 0, n.S);
    const int64_t seen = std::max<int64_t>(0, keys.last - keys.first);
    float* row = e + r * span + (seen ? keys.first - from : 0);
    ScoreRow(a, b, h, i, keys, q.data + r * q.ld, k, from, u.data, row);
    float max = kHidden, poison = 0, sum = 0;
    for (int64_t x = 0; x < seen; ++x) {
      max = std::max(max, row[x]);
      poison += row[x];
    }
    const bool hidden = max == kHidden;
    Exp2Row(row, seen, hidden ? 0.0f : max);
    for (int64_t x = 0; x < seen; ++x) sum += row[x];
    if (HasFactor(a.mask) && seen) {
      FactorRow(n, a.mask, b, h, i, keys, factor);
      for (int64_t x = 0; x < seen; ++x) row[x] *= factor[x];
    }
    const bool bad = std::isnan(poison);
    scale[r] = bad ? poison : hidden ? 0.0f : 1.0f / sum;
    sums.max[(b * n.H + h) * n.T + i] = bad ? poison : max;
    sums.sum[(b * n.H + h) * n.T + i] = bad ? poison : hidden ? 0.0f : sum;
  }
  Product<false, false>(rows, wide_m, span, e, span, 1, v.data, v.ld, o, wide_m);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < n.M; ++c) out.at(b, h, begin + r)[c] = scale[r] * o[r * wide_m + c];
}

void AdditiveWeightsRow(const AdditiveAttention<float>& a, SoftmaxRows<const float> sums, int64_t b,
                        int64_t h, int64_t i, float* w) {
  const AttentionSize& n = a.size;
  const Range keys(a.mask, b, h, i, 0, n.S);
  const RowSoftmax softmax(n, sums, b, h, i);
  std::fill_n(w, n.S, 0.0f);
  if (softmax.share == 0 || keys.first >= keys.last) return;
  const int64_t seen = keys.last - keys.first;
  float* row = w + keys.first;
  Scratch scratch;
  const Padded q(a.q.at(b, h, i), a.q.row, 1, n.D, scratch);
  const Padded k(a.k.at(b, h / (n.H / n.G), keys.first), a.k.row, seen, n.D, scratch);
  const Padded u(a.u + h * a.u_head, n.D, 1, n.D, scratch);
  ScoreRow(a, b, h, i, keys, q.data, k, keys.first, u.data, row);
  Exp2Row(row, seen, softmax.max);
  for (int64_t x = 0; x < seen; ++x) row[x] *= softmax.share;
  if (!a.mask.centre) return;
  AttentionMask<float> factors = a.mask;
  factors.dropout = 0;
  float* factor = scratch.take<float>(seen);
  FactorRow(n, factors, b, h, i, keys, factor);
  for (int64_t x = 0; x < seen; ++x) row[x] *= factor[x];
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(AdditiveForwardBlock);
HWY_EXPORT(AdditiveWeightsRow);

void attention_forward(const AdditiveAttention<float>& a, HeadRows<float> out, SoftmaxRows<float> rows) {
  const int64_t blocks = (a.size.T + kAdditiveQueries - 1) / kAdditiveQueries;
  const int64_t work = std::min(a.size.T, kAdditiveQueries) * a.size.S * a.size.D;
  parallel_ranges(a.size.B * a.size.H * blocks, rows_per_block(work), [&](int64_t first, int64_t last) {
    for (int64_t task = first; task < last; ++task) {
      const int64_t bh = task / blocks, begin = task % blocks * kAdditiveQueries;
      HWY_DYNAMIC_DISPATCH(AdditiveForwardBlock)(a, out, rows, bh / a.size.H, bh % a.size.H, begin);
    }
  });
}

void attention_weights(const AdditiveAttention<float>& a, SoftmaxRows<const float> rows, int64_t b, int64_t h,
                       int64_t begin, int64_t end, float* w) {
  parallel_for(end - begin, [&](int64_t r) {
    HWY_DYNAMIC_DISPATCH(AdditiveWeightsRow)(a, rows, b, h, begin + r, w + r * a.size.S);
  });
}
}  // namespace fovea::kernels
#endif
