#include "fovea/base/parallel.h"
#include "fovea/kernels/activations.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/activations_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Each function: its value from x, and its slope from what is kept.
struct ExpOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return Exp(d, x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D, V y) const {
    return y;
  }
};
struct LogOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return Log(d, x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V x) const {
    return hn::Div(hn::Set(d, 1.0f), x);
  }
};
struct SqrtOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D, V x) const {
    return hn::Sqrt(x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V y) const {
    return hn::Div(hn::Set(d, 0.5f), y);
  }
};
struct SquareOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D, V x) const {
    return hn::Mul(x, x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D, V x) const {
    return hn::Add(x, x);
  }
};
struct TanhOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return Tanh(d, x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V y) const {
    return hn::NegMulAdd(y, y, hn::Set(d, 1.0f));
  }
};
struct SigmoidOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return Sigmoid(d, x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D, V y) const {
    return hn::NegMulAdd(y, y, y);
  }
};
struct ReluOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V y) const {
    return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), hn::Set(d, 1.0f));
  }
};
struct GeluOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    V bell;
    return hn::Mul(x, NormalCdf(d, x, &bell));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V x) const {  // Phi(x) + x exp(-x^2/2) / sqrt(2 pi)
    V bell;
    const V cdf = NormalCdf(d, x, &bell);
    return hn::MulAdd(hn::Mul(x, hn::Set(d, 0.39894228f)), bell, cdf);
  }
};
struct GeluTanhOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Inner(D d, V x) const {  // tanh(sqrt(2/pi) (x + 0.044715 x^3))
    const V cubic = hn::MulAdd(hn::Set(d, 0.044715f * 0.79788456f), hn::Mul(x, x), hn::Set(d, 0.79788456f));
    return Tanh(d, hn::Mul(x, cubic));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    const V half = hn::Mul(x, hn::Set(d, 0.5f));
    return hn::MulAdd(half, Inner(d, x), half);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V x) const {
    const V half = hn::Set(d, 0.5f), t = Inner(d, x);
    const V inner =
        hn::MulAdd(hn::Set(d, 3 * 0.044715f * 0.79788456f), hn::Mul(x, x), hn::Set(d, 0.79788456f));
    const V bend = hn::Mul(hn::NegMulAdd(t, t, hn::Set(d, 1.0f)), hn::Mul(hn::Mul(x, half), inner));
    return hn::Add(hn::MulAdd(t, half, half), bend);
  }
};
struct SiluOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return hn::Mul(x, Sigmoid(d, x));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V x) const {  // s (1 + x (1 - s))
    const V s = Sigmoid(d, x);
    return hn::MulAdd(hn::Mul(s, x), hn::Sub(hn::Set(d, 1.0f), s), s);
  }
};

struct QuickGeluOp {
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Value(D d, V x) const {
    return hn::Mul(x, Sigmoid(d, hn::Mul(x, hn::Set(d, 1.702f))));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V Slope(D d, V x) const {  // s (1 + 1.702 x (1 - s))
    const V steep = hn::Mul(x, hn::Set(d, 1.702f)), s = Sigmoid(d, steep);
    return hn::MulAdd(hn::Mul(s, steep), hn::Sub(hn::Set(d, 1.0f), s), s);
  }
};

template <class Op>
void Forward(Op op, const float* x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(op.Value(d, hn::LoadU(d, x + i)), d, y + i);
  for (; i < n; ++i) hn::StoreU(op.Value(one, hn::LoadU(one, x + i)), one, y + i);
}

template <class Op>
void Backward(Op op, const float* kept, const float* dy, float* dx, int64_t n, bool accumulate) {
  const auto loop = [&](auto d, int64_t i) HWY_ATTR {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; i + lanes <= n; i += lanes) {
      const auto grad = hn::Mul(hn::LoadU(d, dy + i), op.Slope(d, hn::LoadU(d, kept + i)));
      hn::StoreU(accumulate ? hn::Add(hn::LoadU(d, dx + i), grad) : grad, d, dx + i);
    }
    return i;
  };
  loop(hn::CappedTag<float, 1>(), loop(hn::ScalableTag<float>(), 0));
}

template <class F>
void WithOp(Activation f, F&& run) {
  switch (f) {
    case Activation::kExp:
      return run(ExpOp());
    case Activation::kLog:
      return run(LogOp());
    case Activation::kSqrt:
      return run(SqrtOp());
    case Activation::kSquare:
      return run(SquareOp());
    case Activation::kTanh:
      return run(TanhOp());
    case Activation::kSigmoid:
      return run(SigmoidOp());
    case Activation::kRelu:
      return run(ReluOp());
    case Activation::kGelu:
      return run(GeluOp());
    case Activation::kGeluTanh:
      return run(GeluTanhOp());
    case Activation::kSilu:
      return run(SiluOp());
    case Activation::kQuickGelu:
      return run(QuickGeluOp());
  }
}

void Activate(Activation f, const float* x, float* y, int64_t n) {
  WithOp(f, [&](auto op) HWY_ATTR { Forward(op, x, y, n); });
}
void ActivateBackward(Activation f, const float* kept, const float* dy, float* dx, int64_t n,
                      bool accumulate) {
  WithOp(f, [&](auto op) HWY_ATTR { Backward(op, kept, dy, dx, n, accumulate); });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(Activate);
HWY_EXPORT(ActivateBackward);
namespace {
constexpr int64_t kGrain = 1 << 14;
}

void activate(Activation f, const float* x, float* y, int64_t n) {
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Activate)(f, x + begin, y + begin, end - begin);
  });
}

void activate_backward(Activation f, const float* kept, const float* dy, float* dx, int64_t n,
                       bool accumulate) {
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ActivateBackward)(f, kept + begin, dy + begin, dx + begin, end - begin, accumulate);
  });
}
}  // namespace fovea::kernels
#endif
