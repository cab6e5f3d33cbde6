#include "fovea/kernels/rope.h"

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/rope_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void RopeTokens(const float* x, const float* cos, const float* sin, float* y, const RopeShape& shape,
                float beta, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const int64_t half = shape.width / 2;
  const auto sign = hn::Set(d, shape.inverse ? -1.0f : 1.0f), old = hn::Set(d, beta);
  for (int64_t t = begin; t < end; ++t) {
    const float *c = cos + t % shape.positions * half, *s = sin + t % shape.positions * half;
    for (int64_t h = 0; h < shape.heads - shape.copied; ++h) {
      const float* low = x + (t * shape.heads + h) * shape.width;
      float* to = y + (t * shape.heads + h) * shape.width;
      ForVectors(d, half, [&](int64_t, auto load, auto store) HWY_ATTR {
        const auto a = load(low), b = load(low + half), turn = hn::Mul(load(s), sign), stay = load(c);
        auto first = hn::NegMulAdd(b, turn, hn::Mul(a, stay)), second = hn::MulAdd(a, turn, hn::Mul(b, stay));
        if (beta != 0) {
          first = hn::MulAdd(load(to), old, first);
          second = hn::MulAdd(load(to + half), old, second);
        }
        store(first, to);
        store(second, to + half);
      });
    }
    const int64_t rest = (t * shape.heads + shape.heads - shape.copied) * shape.width;
    ForVectors(d, shape.copied * shape.width, [&](int64_t, auto load, auto store) HWY_ATTR {
      const auto same = load(x + rest);
      store(beta != 0 ? hn::MulAdd(load(y + rest), old, same) : same, y + rest);
    });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(RopeTokens);

void rope(const float* x, const float* cos, const float* sin, float* y, const RopeShape& shape, float beta) {
  parallel_ranges(shape.tokens, rows_per_block(shape.heads * shape.width), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(RopeTokens)(x, cos, sin, y, shape, beta, begin, end);
  });
}

}  // namespace fovea::kernels
#endif
