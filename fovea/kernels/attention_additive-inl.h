// What the forward and the backward kernel of additive attention share: rows of queries, one key at a time.
// Include it after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_ATTENTION_ADDITIVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_ADDITIVE_INL_H_
#undef FOVEA_KERNELS_ATTENTION_ADDITIVE_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_ADDITIVE_INL_H_
#endif

#include "fovea/kernels/attention_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

HWY_INLINE int64_t RoundUpToVector(int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  return (n + lanes - 1) / lanes * lanes;
}

// What is added to e[i,j] in units of log 2, or kHidden.
HWY_INLINE float MaskOf(const AttentionSize& n, const AttentionMask<float>& m, int64_t b, int64_t h,
                        int64_t i, int64_t j) {
  if (m.visible && !m.visible[b * m.visible_batch + h * m.visible_head + i * m.visible_row + j])
    return kHidden;
  float add = 0;
  if (m.bias) add += BiasInLog2(m.bias[b * m.bias_batch + h * m.bias_head + i * m.bias_row + j]);
  if (m.diagonal) add += kLog2E * m.diagonal[h * m.diagonal_head + j - i + n.T - 1];
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

// The smallest range that holds every key some of the rows [begin, begin + rows) see; empty where they see none.
HWY_INLINE Range RangeOfRows(const AttentionMask<float>& m, int64_t b, int64_t h, int64_t begin, int64_t rows,
                             int64_t from, int64_t to) {
  Range all(m, b, h, begin, from, to);
  for (int64_t i = begin; i < begin + rows; ++i) {
    const Range one(m, b, h, i, from, to);
    if (one.first >= one.last) continue;
    const bool none = all.first >= all.last;
    all.first = none ? one.first : std::min(all.first, one.first);
    all.last = none ? one.last : std::max(all.last, one.last);
  }
  return all;
}

// factor[j - first] = gauss * keep for keys of one row.
HWY_INLINE void FactorRow(const AttentionSize& n, const AttentionMask<float>& m, int64_t b, int64_t h,
                          int64_t i, Range keys, float* factor) {
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

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
