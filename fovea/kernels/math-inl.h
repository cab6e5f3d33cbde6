// Vector functions for SIMD kernels: fast, branch-free, the same result for every lane count.
// Include it after "hwy/highway.h" in a file compiled once for each target. Coefficients: tools/fit_math.py.
#if defined(FOVEA_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_MATH_INL_H_
#undef FOVEA_KERNELS_MATH_INL_H_
#else
#define FOVEA_KERNELS_MATH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 2^n 2^r, where n is the integer in the low bits of `shifted` = 1.5 * 2^23 + n, and |r| <= 1/2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2OfParts(D d, V shifted, V r) {
  const hn::RebindToUnsigned<D> du;
  V p = hn::Set(d, 1.326472731e-03f);
  p = hn::MulAdd(p, r, hn::Set(d, 9.671512991e-03f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.550733581e-02f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.402224243e-01f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.931470037e-01f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  return hn::BitCast(d, hn::Add(hn::BitCast(du, p), hn::ShiftLeft<23>(hn::BitCast(du, shifted))));
}

// 2^x for x <= 127, relative error below 3e-7; 2^0 is exactly 1. From -126 down it goes to 0, which is
// reached at -127: the error is then at most 1.2e-38. For the insides of softmax, where x <= 0 and is never
// NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp2(D d, V x) {
  const V magic =
      hn::Set(d, 12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer, held in the low bits
  x = hn::Max(x, hn::Set(d, -127.0f));
  const V shifted = hn::Add(x, magic);
  return Exp2OfParts(d, shifted, hn::Sub(x, hn::Sub(shifted, magic)));
}

// e^x for every x, relative error below 3e-7. Results below 2^-126 are 0; overflow is infinity; NaN stays
// NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  const V magic = hn::Set(d, 12582912.0f);
  const V lowest = hn::Set(d, -87.336544f), highest = hn::Set(d, 88.722839f);
  const V bounded = hn::Min(hn::Max(x, lowest), hn::Set(d, 88.0f));
  const V shifted = hn::MulAdd(bounded, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), bounded);  // ln 2 in two parts, so that r is exact
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860682e-06f), r);
  V y = Exp2OfParts(d, shifted, hn::Mul(r, hn::Set(d, 1.44269504f)));
  // Above 88 the exponent would overflow before the result does: e^x = e^88 e^(x - 88), and x - 88 < 1.
  const V above = hn::Max(hn::Sub(hn::Min(x, highest), hn::Set(d, 88.0f)), hn::Zero(d));
  V small = hn::Set(d, 1.0f / 120);
  small = hn::MulAdd(small, above, hn::Set(d, 1.0f / 24));
  small = hn::MulAdd(small, above, hn::Set(d, 1.0f / 6));
  small = hn::MulAdd(small, above, hn::Set(d, 0.5f));
  small = hn::MulAdd(small, above, hn::Set(d, 1.0f));
  y = hn::MulAdd(hn::Mul(y, small), above, y);
  y = hn::IfThenElse(hn::Gt(x, highest), hn::Inf(d), y);
  y = hn::IfThenElseZero(hn::Ge(x, lowest), y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// tanh(x), relative error below 4e-7, never above 1 in size: x p(x^2) / q(x^2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V x) {
  // Min and Max return their second operand where either is NaN: so NaN stays NaN.
  x = hn::Max(hn::Set(d, -9.01f), hn::Min(hn::Set(d, 9.01f), x));
  const V u = hn::Mul(x, x);
  V p = hn::Set(d, 1.333664112e-08f);
  V q = hn::Set(d, 7.769200465e-07f);
  p = hn::MulAdd(p, u, hn::Set(d, 2.059613144e-05f));
  q = hn::MulAdd(q, u, hn::Set(d, 3.284349223e-04f));
  p = hn::MulAdd(p, u, hn::Set(d, 3.494802630e-03f));
  q = hn::MulAdd(q, u, hn::Set(d, 2.587399445e-02f));
  p = hn::MulAdd(p, u, hn::Set(d, 1.338036507e-01f));
  q = hn::MulAdd(q, u, hn::Set(d, 4.671368003e-01f));
  const V one = hn::Set(d, 1.0f);
  p = hn::MulAdd(p, u, one);
  q = hn::MulAdd(q, u, one);
  const V y = hn::Div(hn::Mul(x, p), q);
  return hn::Max(hn::Neg(one), hn::Min(one, y));
}

// 1 / (1 + e^-x) = (1 + tanh(x / 2)) / 2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  return hn::MulAdd(Tanh(d, hn::Mul(x, half)), half, half);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
