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
  const V lowest = hn::Set(d, -87.336544f),
          highest = hn::Set(d, 88.72283f);  // the largest x whose e^x is finite
  const V bounded = hn::Min(hn::Max(x, lowest), highest);
  const V shifted = hn::MulAdd(bounded, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), bounded);  // ln 2 in two parts, so that r is exact
  r = hn::NegMulAdd(n, hn::Set(d, 1.42860682e-06f), r);
  // At the top n is 128, and 2^r is below 1, so the exponent just holds.
  V y = Exp2OfParts(d, shifted, hn::Mul(r, hn::Set(d, 1.44269504f)));
  y = hn::IfThenElse(hn::Gt(x, highest), hn::Inf(d), y);
  y = hn::IfThenElseZero(hn::Ge(x, lowest), y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// x held within [-bound, bound]; NaN stays NaN. The vector instructions return their second operand where
// either is NaN, the portable functions the other one.
template <class V>
HWY_INLINE V Within(V bound, V x) {
  const V y = hn::Max(hn::Neg(bound), hn::Min(bound, x));
  if (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128) return hn::IfThenElse(hn::IsNaN(x), x, y);
  return y;
}

// tanh(x), relative error below 4e-7, never above 1 in size: x p(x^2) / q(x^2). NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V x) {
  x = Within(hn::Set(d, 9.01f), x);
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
  return Within(one, y);
}

// 1 / (1 + e^-x) = (1 + tanh(x / 2)) / 2, absolute error below 2e-7. NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  return hn::MulAdd(Tanh(d, hn::Mul(x, half)), half, half);
}

// ln x, relative error below 3e-7. ln 0 is -infinity; below 0 it is NaN; infinity and NaN stay. x = 2^e m
// with m in [sqrt(1/2), sqrt 2), and ln m by the polynomial of Cephes' logf.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto tiny = hn::Lt(x, hn::Set(d, 1.17549435e-38f));  // denormals are scaled up by 2^25
  const V scaled = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 33554432.0f)), x);
  const auto root = hn::Set(di, 0x3f3504f3);  // the bits of sqrt(1/2)
  const auto bits = hn::Sub(hn::BitCast(di, scaled), root);
  const V e =
      hn::Sub(hn::ConvertTo(d, hn::ShiftRight<23>(bits)), hn::IfThenElseZero(tiny, hn::Set(d, 25.0f)));
  const V f = hn::Sub(hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x7fffff)), root)), hn::Set(d, 1.0f));
  const V z = hn::Mul(f, f);
  V p = hn::Set(d, 7.0376836292e-2f);
  p = hn::MulAdd(p, f, hn::Set(d, -1.1514610310e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.1676998740e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, -1.2420140846e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.4249322787e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, -1.6668057665e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.0000714765e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, -2.4999993993e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 3.3333331174e-1f));
  V y = hn::MulAdd(e, hn::Set(d, -2.12194440e-4f), hn::Mul(hn::Mul(f, z), p));  // ln 2 in two parts
  y = hn::Add(f, hn::NegMulAdd(hn::Set(d, 0.5f), z, y));
  y = hn::MulAdd(e, hn::Set(d, 0.693359375f), y);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(hn::Inf(d)), y);
  y = hn::IfThenElse(hn::Eq(x, hn::Inf(d)), x, y);
  return hn::IfThenElse(hn::Ge(x, hn::Zero(d)), y, hn::NaN(d));
}

// Phi(x), the normal distribution function, = (1 + erf(x / sqrt 2)) / 2; *bell becomes exp(-x^2 / 2).
// Absolute error below 2e-7; in the lower tail relative error below 1e-5 down to x = -13, where the result
// goes to 0. NaN stays NaN.
//   Phi(-t) = exp(-t^2 / 2) r(u),  u = 1 / (1 + 0.35 t),  t = |x|
template <class D, class V = hn::Vec<D>>
HWY_INLINE V NormalCdf(D d, V x, V* bell) {
  const V one = hn::Set(d, 1.0f);
  const V t = hn::Abs(x);
  const V u = hn::Div(one, hn::MulAdd(t, hn::Set(d, 0.35f), one));
  *bell = Exp(d, hn::Mul(hn::Mul(t, t), hn::Set(d, -0.5f)));
  V r = hn::Set(d, -2.914591134e-02f);
  r = hn::MulAdd(r, u, hn::Set(d, 1.439716071e-01f));
  r = hn::MulAdd(r, u, hn::Set(d, -2.557140887e-01f));
  r = hn::MulAdd(r, u, hn::Set(d, 1.591739655e-01f));
  r = hn::MulAdd(r, u, hn::Set(d, -2.310971171e-02f));
  r = hn::MulAdd(r, u, hn::Set(d, 1.055079550e-01f));
  r = hn::MulAdd(r, u, hn::Set(d, 1.198328808e-01f));
  r = hn::MulAdd(r, u, hn::Set(d, 1.398618668e-01f));
  r = hn::MulAdd(r, u, hn::Set(d, 1.396214068e-01f));
  const V tail = hn::Mul(hn::Mul(r, u), *bell);
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Sub(one, tail), tail);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
