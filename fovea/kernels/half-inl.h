// Vectors of f32 from memory that holds f32 or IEEE half precision (uint16_t), and back. Include it after "hwy/highway.h" in a file
// compiled once for each target.
#if defined(FOVEA_KERNELS_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_HALF_INL_H_
#undef FOVEA_KERNELS_HALF_INL_H_
#else
#define FOVEA_KERNELS_HALF_INL_H_
#endif

#include <cstdint>

#include "fovea/kernels/tail-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using HalfTag = hn::Rebind<uint16_t, D>;

// Exact; NaN stays NaN.
template <class D>
HWY_INLINE hn::Vec<D> FromHalf(D d, hn::Vec<HalfTag<D>> half) {
#if HWY_TARGET <= HWY_AVX2
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), half));
#else  // by their bits, without arithmetic on subnormals, which a thread may have switched off
  const hn::RebindToUnsigned<D> du;
  const auto wide = hn::PromoteTo(du, half);
  const auto bits = hn::ShiftLeft<13>(hn::And(wide, hn::Set(du, 0x7fff)));
  const auto sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(du, 0x8000)));
  const auto least = hn::Set(du, 113u << 23);  // 2^-14, the least normal half
  const auto normal = hn::Add(bits, hn::Set(du, 112u << 23));
  const auto subnormal =
      hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Add(bits, least)), hn::BitCast(d, least)));
  const auto special = hn::Add(bits, hn::Set(du, 224u << 23));  // infinity, NaN
  auto y = hn::IfThenElse(hn::Lt(bits, hn::Set(du, 1u << 23)), subnormal, normal);
  y = hn::IfThenElse(hn::Lt(bits, hn::Set(du, 31u << 23)), y, special);
  return hn::BitCast(d, hn::Or(y, sign));
#endif
}

// To the nearest, ties to even; what is too large becomes infinity, NaN stays NaN.
template <class D>
HWY_INLINE hn::Vec<HalfTag<D>> ToHalf(D d, hn::Vec<D> x) {
  const HalfTag<D> d16;
#if HWY_TARGET <= HWY_AVX2
  return hn::BitCast(d16, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), x));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, x);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000));
  const auto size = hn::And(bits, hn::Set(du, 0x7fffffff));
  const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 1));
  auto half =
      hn::ShiftRight<13>(hn::Add(hn::Sub(size, hn::Set(du, 112u << 23)), hn::Add(odd, hn::Set(du, 0xfff))));
  const auto one_half = hn::Set(d, 0.5f);  // so large that the sum is rounded where a subnormal half ends
  const auto subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, size), one_half)), hn::BitCast(du, one_half));
  half = hn::IfThenElse(hn::Lt(size, hn::Set(du, 0x38800000)), subnormal, half);
  half = hn::IfThenElse(hn::Lt(size, hn::Set(du, 0x477ff000)), half, hn::Set(du, 0x7c00));
  half = hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x7f800000)), hn::Set(du, 0x7e00), half);
  return hn::DemoteTo(d16, hn::BitCast(di, hn::Or(half, sign)));
#endif
}

// p[0..lanes).
template <class D>
HWY_INLINE hn::Vec<D> LoadNumbers(D d, const float* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadNumbers(D d, const uint16_t* p) {
  return FromHalf(d, hn::LoadU(HalfTag<D>(), p));
}

// p[0..n) and then zeros.
template <class D>
HWY_INLINE hn::Vec<D> LoadNumbersTail(D d, const float* p, int64_t n) {
  return LoadTail(d, p, n);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadNumbersTail(D d, const uint16_t* p, int64_t n) {
#if HWY_TARGET <= HWY_AVX3
  return FromHalf(d, LoadTail(HalfTag<D>(), p, n));
#else  // AVX2 has no masked loads of 16 bits: Highway would read a whole vector
  HWY_ALIGN uint16_t buffer[hn::MaxLanes(D())] = {};
  for (int64_t i = 0; i < n; ++i) buffer[i] = p[i];
  return FromHalf(d, hn::Load(HalfTag<D>(), buffer));
#endif
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
