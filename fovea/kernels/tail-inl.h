// The last elements of a row, fewer than a vector: loads and stores that touch nothing beyond them.
// Include it after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_TAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_TAIL_INL_H_
#undef FOVEA_KERNELS_TAIL_INL_H_
#else
#define FOVEA_KERNELS_TAIL_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// p[0..n) and then zeros; n is at most the number of lanes.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadTail(D d, const T* p, int64_t n) {
#if HWY_TARGET <= HWY_AVX2
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, p);
#else  // masked loads are emulated there, by reading a whole vector
  HWY_ALIGN T buffer[hn::MaxLanes(D())] = {};
  for (int64_t i = 0; i < n; ++i) buffer[i] = p[i];
  return hn::Load(d, buffer);
#endif
}

// p[0..n) and then `fill`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadTailOr(D d, const T* p, int64_t n, hn::Vec<D> fill) {
  return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(n)), LoadTail(d, p, n), fill);
}

// p[0..n) = v.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void StoreTail(D d, hn::Vec<D> v, T* p, int64_t n) {
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(n)), d, p);
#elif HWY_TARGET == HWY_SCALAR
  if (n > 0) hn::Store(v, d, p);
#else  // in halves: AVX2's masked store takes a dozen cycles, and before it there is none
  if constexpr (hn::MaxLanes(D()) == 1) {
    if (n > 0) hn::StoreU(v, d, p);
  } else {
    const hn::Half<D> half;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    if (n >= lanes) return hn::StoreU(v, d, p);
    if (n >= lanes / 2) {
      hn::StoreU(hn::LowerHalf(half, v), half, p);
      StoreTail(half, hn::UpperHalf(half, v), p + lanes / 2, n - lanes / 2);
    } else {
      StoreTail(half, hn::LowerHalf(half, v), p, n);
    }
  }
#endif
}

// Calls f(i, load, store) for each vector of [0, n), the last one in part: load(p) gives p[i..) and store(v,
// p) writes it, whichever of the two cases it is. Lanes beyond the end are zeros, and are not written.
template <class D, class F>
HWY_INLINE void ForVectors(D d, int64_t n, F&& f) {
  using T = hn::TFromD<D>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    f(
        i, [&](const T* p) HWY_ATTR { return hn::LoadU(d, p + i); },
        [&](hn::Vec<D> v, T* p) HWY_ATTR { hn::StoreU(v, d, p + i); });
  if (i < n)
    f(
        i, [&](const T* p) HWY_ATTR { return LoadTail(d, p + i, n - i); },
        [&](hn::Vec<D> v, T* p) HWY_ATTR { StoreTail(d, v, p + i, n - i); });
}

// The sum of term(load) over the vectors of [0, n), load(p) being p[i..); lanes beyond the end count as 0.
// Four sums run side by side, so that one addition does not wait for the one before.
template <class D, class F>
HWY_INLINE float SumVectors(D d, int64_t n, F&& term) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a = hn::Zero(d), b = a, c = a, e = a;
  int64_t i = 0;
  auto at = [&](int64_t j)
                HWY_ATTR { return [&d, j](const float* p) HWY_ATTR { return hn::LoadU(d, p + j); }; };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = hn::Add(a, term(at(i)));
    b = hn::Add(b, term(at(i + lanes)));
    c = hn::Add(c, term(at(i + 2 * lanes)));
    e = hn::Add(e, term(at(i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) a = hn::Add(a, term(at(i)));
  if (i < n) {
    const auto last = term([&](const float* p) HWY_ATTR { return LoadTail(d, p + i, n - i); });
    b = hn::Add(b, hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n - i)), last));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
