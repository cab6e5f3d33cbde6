// The two sweeps that softmax, log-softmax and cross-entropy begin with: the largest element of a row, and
// the sum of exponentials relative to it. Include it after "hwy/highway.h" in a file compiled once for each
// target.
#if defined(FOVEA_KERNELS_ROW_MAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ROW_MAX_INL_H_
#undef FOVEA_KERNELS_ROW_MAX_INL_H_
#else
#define FOVEA_KERNELS_ROW_MAX_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/tail-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The largest of x[0..n): -inf when all are or n is 0; NaN or +inf when any is NaN or +inf.
template <class D>
HWY_INLINE float RowMax(D d, const float* x, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto a = lowest, b = lowest;
  auto nan = hn::IsNaN(lowest);
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto u = hn::LoadU(d, x + i), v = hn::LoadU(d, x + i + lanes);
    a = hn::Max(u, a);
    b = hn::Max(v, b);
    nan = hn::Or(nan, hn::IsNaN(hn::Add(u, v)));
  }
  for (; i < n; i += lanes) {
    const auto u = n - i >= lanes ? hn::LoadU(d, x + i) : LoadTailOr(d, x + i, n - i, lowest);
    a = hn::Max(u, a);
    nan = hn::Or(nan, hn::IsNaN(u));
  }
  if (HWY_UNLIKELY(!hn::AllFalse(d, nan))) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(a, b)));
}

// sum_i e^(x[i] - max) for a finite max >= x[i]; keep(store, e) sees each vector of exponentials and may
// store it.
template <class D, class Keep>
HWY_INLINE float RowSumExp(D d, const float* x, int64_t n, float max, Keep&& keep) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto top = hn::Set(d, max), log2e = hn::Set(d, 1.44269504f);
  auto a = hn::Zero(d), b = hn::Zero(d);
  int64_t i = 0;
  auto store = [&](auto v, float* y) HWY_ATTR { hn::StoreU(v, d, y + i); };
  for (; i + 2 * lanes <= n;) {
    const auto u = Exp2(d, hn::Mul(hn::Sub(hn::LoadU(d, x + i), top), log2e));
    const auto v = Exp2(d, hn::Mul(hn::Sub(hn::LoadU(d, x + i + lanes), top), log2e));
    a = hn::Add(a, u);
    b = hn::Add(b, v);
    keep(store, u);
    i += lanes;
    keep(store, v);
    i += lanes;
  }
  for (; i + lanes <= n; i += lanes) {
    const auto u = Exp2(d, hn::Mul(hn::Sub(hn::LoadU(d, x + i), top), log2e));
    a = hn::Add(a, u);
    keep(store, u);
  }
  if (i < n) {
    const auto u = Exp2(d, hn::Mul(hn::Sub(LoadTail(d, x + i, n - i), top), log2e));
    a = hn::Add(a, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n - i)), u));
    keep([&](auto v, float* y) HWY_ATTR { StoreTail(d, v, y + i, n - i); }, u);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
