#include "fovea/kernels/attend_rows.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/attend_rows_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/row_max-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// e[t] of kRows rows at a time, so that their sums do not wait for each other.
template <int kRows>
HWY_INLINE void Scores(const float* q, const float* const* rows, int64_t offset, int64_t D, float scale,
                       float* e) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kRows];
  for (auto& s : sum) s = hn::Zero(d);
  int64_t c = 0;
  for (; c + lanes <= D; c += lanes) {
    const auto x = hn::LoadU(d, q + c);
    for (int r = 0; r < kRows; ++r) sum[r] = hn::MulAdd(x, hn::LoadU(d, rows[r] + offset + c), sum[r]);
  }
  if (c < D) {
    const auto x = LoadTail(d, q + c, D - c);
    for (int r = 0; r < kRows; ++r) sum[r] = hn::MulAdd(x, LoadTail(d, rows[r] + offset + c, D - c), sum[r]);
  }
  for (int r = 0; r < kRows; ++r) e[r] = scale * hn::GetLane(hn::SumOfLanes(d, sum[r]));
}

// out[D] = sum_t e[t] * value_t, times `share`; four vectors of it at a time stay in registers.
HWY_INLINE void Read(const float* e, const float* const* rows, int64_t offset, int64_t count, int64_t D,
                     float share, float* out) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scale = hn::Set(d, share);
  int64_t c = 0;
  for (; c + 4 * lanes <= D; c += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t t = 0; t < count; ++t) {
      const float* v = rows[t] + offset + c;
      const auto w = hn::Set(d, e[t]);
      s0 = hn::MulAdd(w, hn::LoadU(d, v), s0);
      s1 = hn::MulAdd(w, hn::LoadU(d, v + lanes), s1);
      s2 = hn::MulAdd(w, hn::LoadU(d, v + 2 * lanes), s2);
      s3 = hn::MulAdd(w, hn::LoadU(d, v + 3 * lanes), s3);
    }
    hn::StoreU(hn::Mul(s0, scale), d, out + c);
    hn::StoreU(hn::Mul(s1, scale), d, out + c + lanes);
    hn::StoreU(hn::Mul(s2, scale), d, out + c + 2 * lanes);
    hn::StoreU(hn::Mul(s3, scale), d, out + c + 3 * lanes);
  }
  for (; c < D; c += lanes) {
    const int64_t n = std::min(lanes, D - c);
    auto sum = hn::Zero(d);
    for (int64_t t = 0; t < count; ++t)
      sum = hn::MulAdd(hn::Set(d, e[t]), LoadTail(d, rows[t] + offset + c, n), sum);
    StoreTail(d, hn::Mul(sum, scale), out + c, n);
  }
}

// Head h of query i.
void AttendRow(const AttendRows& a, int64_t i, int64_t h) {
  const hn::ScalableTag<float> d;
  const int64_t count = a.counts[i], key = h / (a.H / a.G) * a.D;
  const float* q = a.q + i * a.q_stride + h * a.D;
  const float* const* rows = a.rows[i];
  float* out = a.out + (i * a.H + h) * a.D;
  float* weights = a.weights ? a.weights + (i * a.H + h) * a.weights_stride : nullptr;
  if (weights) std::fill_n(weights, a.weights_stride, 0.0f);
  if (count == 0) {
    std::fill_n(out, a.D, 0.0f);
    return;
  }
  Scratch scratch;
  float* e = scratch.take<float>(count);
  int64_t t = 0;
  for (; t + 4 <= count; t += 4) Scores<4>(q, rows + t, key, a.D, a.scale, e + t);
  for (; t < count; ++t) Scores<1>(q, rows + t, key, a.D, a.scale, e + t);
  const float sum =
      RowSumExp(d, e, count, RowMax(d, e, count), [&](auto store, auto x) HWY_ATTR { store(x, e); });
  Read(e, rows, key + a.G * a.D, count, a.D, 1.0f / sum, out);
  for (int64_t k = 0; weights && k < count; ++k) weights[k] = e[k] / sum;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(AttendRow);

void attend_rows(const AttendRows& a) {
  int64_t most = 1;
  for (int64_t i = 0; i < a.queries; ++i) most = std::max<int64_t>(most, a.counts[i]);
  constexpr int64_t kWorthAThread = 1 << 15;  // multiply-adds
  parallel_ranges(a.queries * a.H, std::max<int64_t>(1, kWorthAThread / (most * a.D)),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t x = begin; x < end; ++x)
                      HWY_DYNAMIC_DISPATCH(AttendRow)(a, x / a.H, x % a.H);
                  });
}

}  // namespace fovea::kernels
#endif
