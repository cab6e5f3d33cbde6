#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/arithmetic_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct AddOp {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
struct SubOp {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Sub(a, b);
  }
};
struct MulOp {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Mul(a, b);
  }
};
struct DivOp {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Div(a, b);
  }
};

// One run; kA and kB say whether an operand moves along it or stays.
template <bool kA, bool kB, bool kAccumulate, class Op>
HWY_INLINE void Run(Op op, const float* a, const float* b, float* y, int64_t n) {
  const auto loop = [&](auto d, int64_t i, int64_t end) HWY_ATTR {
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto same_a = hn::Set(d, kA ? 0.0f : *a), same_b = hn::Set(d, kB ? 0.0f : *b);
    for (; i + lanes <= end; i += lanes) {
      auto value = op(kA ? hn::LoadU(d, a + i) : same_a, kB ? hn::LoadU(d, b + i) : same_b);
      if (kAccumulate) value = hn::Add(hn::LoadU(d, y + i), value);
      hn::StoreU(value, d, y + i);
    }
    return i;
  };
  if (n <= 0) return;
  const int64_t done = loop(hn::ScalableTag<float>(), 0, n);
  loop(hn::CappedTag<float, 1>(), done, n);
}

template <class Op>
HWY_INLINE void Runs(Op op, const Broadcast& shape, const float* a, const float* b, float* y, bool accumulate,
                     int64_t begin, int64_t end) {
  const bool moves_a = shape.rank && shape.a[shape.rank - 1], moves_b = shape.rank && shape.b[shape.rank - 1];
  for_each_run(shape, begin, end, [&](int64_t at, int64_t at_a, int64_t at_b, int64_t n) HWY_ATTR {
    const float *x = a + at_a, *z = b + at_b;
    float* out = y + at;
    if (moves_a && moves_b)
      accumulate ? Run<true, true, true>(op, x, z, out, n) : Run<true, true, false>(op, x, z, out, n);
    else if (moves_a)
      accumulate ? Run<true, false, true>(op, x, z, out, n) : Run<true, false, false>(op, x, z, out, n);
    else if (moves_b)
      accumulate ? Run<false, true, true>(op, x, z, out, n) : Run<false, true, false>(op, x, z, out, n);
    else
      accumulate ? Run<false, false, true>(op, x, z, out, n) : Run<false, false, false>(op, x, z, out, n);
  });
}

void ArithmeticRows(Arithmetic op, const Broadcast& shape, const float* a, const float* b, float* y,
                    bool accumulate, int64_t begin, int64_t end) {
  switch (op) {
    case Arithmetic::kAdd:
      return Runs(AddOp(), shape, a, b, y, accumulate, begin, end);
    case Arithmetic::kSub:
      return Runs(SubOp(), shape, a, b, y, accumulate, begin, end);
    case Arithmetic::kMul:
      return Runs(MulOp(), shape, a, b, y, accumulate, begin, end);
    case Arithmetic::kDiv:
      return Runs(DivOp(), shape, a, b, y, accumulate, begin, end);
  }
}

void Affine(const float* x, float* y, int64_t n, float alpha, float beta) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scale = hn::Set(d, alpha), shift = hn::Set(d, beta);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::Mul(scale, hn::LoadU(d, x + i)), shift), d, y + i);
  for (; i < n; ++i) y[i] = alpha * x[i] + beta;
}

void AddScaled(const float* x, float* y, int64_t n, float alpha) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto scale = hn::Set(d, alpha);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::Mul(scale, hn::LoadU(d, x + i))), d, y + i);
  for (; i < n; ++i) y[i] += alpha * x[i];
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(ArithmeticRows);
HWY_EXPORT(Affine);
HWY_EXPORT(AddScaled);
namespace {
constexpr int64_t kGrain = 1 << 15;
}

void arithmetic(Arithmetic op, const Broadcast& shape, const float* a, const float* b, float* y,
                bool accumulate) {
  if (shape.rank == 1) {  // one long run: cut it
    parallel_ranges(shape.sizes[0], kGrain, [&](int64_t begin, int64_t end) {
      Broadcast part = shape;
      part.sizes[0] = end - begin;
      HWY_DYNAMIC_DISPATCH(ArithmeticRows)
      (op, part, a + begin * shape.a[0], b + begin * shape.b[0], y + begin, accumulate, 0, 1);
    });
    return;
  }
  const int64_t inner = shape.rank ? shape.sizes[shape.rank - 1] : 1;
  parallel_ranges(rows_of(shape), std::max<int64_t>(1, kGrain / (inner + 1)),
                  [&](int64_t begin, int64_t end) {
                    HWY_DYNAMIC_DISPATCH(ArithmeticRows)(op, shape, a, b, y, accumulate, begin, end);
                  });
}

void affine(const float* x, float* y, int64_t n, float alpha, float beta) {
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Affine)(x + begin, y + begin, end - begin, alpha, beta);
  });
}

void add_scaled(const float* x, float* y, int64_t n, float alpha) {
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AddScaled)(x + begin, y + begin, end - begin, alpha);
  });
}
}  // namespace fovea::kernels
#endif
