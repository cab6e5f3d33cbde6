#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/cross_entropy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/cross_entropy_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/row_max-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sum_c (x[c] - max): small numbers, so that the sum of many loses little.
template <class D>
float SumBelow(D d, const float* x, int64_t n, float max) {
  const auto top = hn::Set(d, max);
  return SumVectors(d, n, [&](auto load) HWY_ATTR { return hn::Sub(load(x), top); });
}

void CrossEntropyRows(const float* x, const int32_t* targets, float* loss, float* lse,
                      const CrossEntropyShape& shape) {
  const hn::ScalableTag<float> d;
  const float s = shape.smoothing;
  for (int64_t r = 0; r < shape.rows; ++r, x += shape.classes) {
    if (targets[r] == shape.ignored) {
      loss[r] = lse[r] = 0;
      continue;
    }
    const float max = RowMax(d, x, shape.classes);
    if (!std::isfinite(max)) {  // everything is hidden, or the row has no answer
      loss[r] = max < 0 ? -max : std::numeric_limits<float>::quiet_NaN();
      lse[r] = max < 0 ? max : std::numeric_limits<float>::quiet_NaN();
      continue;
    }
    const float log_sum = std::log(RowSumExp(d, x, shape.classes, max, [](auto, auto) HWY_ATTR {}));
    loss[r] = log_sum - (1 - s) * (x[targets[r]] - max);
    if (s > 0) loss[r] -= s * (SumBelow(d, x, shape.classes, max) / static_cast<float>(shape.classes));
    lse[r] = max + log_sum;
  }
}

void CrossEntropyRowsBackward(const float* x, const int32_t* targets, const float* lse, float* dx,
                              float scale, float beta, const CrossEntropyShape& shape) {
  const hn::ScalableTag<float> d;
  const auto log2e = hn::Set(d, 1.44269504f), by = hn::Set(d, scale), old = hn::Set(d, beta);
  const float uniform = shape.smoothing / static_cast<float>(shape.classes);
  const auto minus_q = hn::Set(d, -uniform * scale);
  for (int64_t r = 0; r < shape.rows; ++r, x += shape.classes, dx += shape.classes) {
    if (targets[r] == shape.ignored || lse[r] == -std::numeric_limits<float>::infinity()) {
      if (beta == 0)
        std::fill_n(dx, shape.classes, 0.0f);
      else if (beta != 1)
        std::transform(dx, dx + shape.classes, dx, [&](float v) { return beta * v; });
      continue;
    }
    if (std::isnan(lse[r])) {
      std::fill_n(dx, shape.classes, lse[r]);
      continue;
    }
    const auto top = hn::Set(d, lse[r]);
    auto gradient = [&](auto logits) HWY_ATTR {
      return hn::MulAdd(Exp2(d, hn::Mul(hn::Sub(logits, top), log2e)), by, minus_q);
    };
    if (beta == 0) {
      ForVectors(d, shape.classes,
                 [&](int64_t, auto load, auto store) HWY_ATTR { store(gradient(load(x)), dx); });
    } else {
      ForVectors(d, shape.classes, [&](int64_t, auto load, auto store) HWY_ATTR {
        store(hn::MulAdd(load(dx), old, gradient(load(x))), dx);
      });
    }
    dx[targets[r]] -= scale * (1 - shape.smoothing);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

CrossEntropyShape with_rows(CrossEntropyShape shape, int64_t rows) {
  shape.rows = rows;
  return shape;
}

}  // namespace
HWY_EXPORT(CrossEntropyRows);
HWY_EXPORT(CrossEntropyRowsBackward);

void cross_entropy_rows(const float* x, const int32_t* targets, float* loss, float* lse,
                        const CrossEntropyShape& shape) {
  parallel_ranges(shape.rows, rows_per_block(shape.classes), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(CrossEntropyRows)
    (x + begin * shape.classes, targets + begin, loss + begin, lse + begin, with_rows(shape, end - begin));
  });
}

void cross_entropy_rows_backward(const float* x, const int32_t* targets, const float* lse, float* dx,
                                 float scale, float beta, const CrossEntropyShape& shape) {
  parallel_ranges(shape.rows, rows_per_block(shape.classes), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * shape.classes;
    HWY_DYNAMIC_DISPATCH(CrossEntropyRowsBackward)
    (x + at, targets + begin, lse + begin, dx + at, scale, beta, with_rows(shape, end - begin));
  });
}

}  // namespace fovea::kernels
#endif
