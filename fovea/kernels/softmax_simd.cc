#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/softmax_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/math-inl.h"
#include "fovea/kernels/row_max-inl.h"
#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void SoftmaxRows(const float* x, float* y, int64_t rows, int64_t cols) {
  const hn::ScalableTag<float> d;
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float max = RowMax(d, x, cols);
    if (!std::isfinite(max)) {  // everything is hidden, or the row has no answer
      std::fill_n(y, cols, max < 0 ? 0.0f : std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    const float sum = RowSumExp(d, x, cols, max, [&](auto store, auto e) HWY_ATTR { store(e, y); });
    const auto scale = hn::Set(d, 1.0f / sum);
    ForVectors(d, cols, [&](int64_t, auto load, auto store) HWY_ATTR { store(hn::Mul(load(y), scale), y); });
  }
}

void SoftmaxRowsBackward(const float* y, const float* dy, float* dx, int64_t rows, int64_t cols) {
  const hn::ScalableTag<float> d;
  for (int64_t r = 0; r < rows; ++r, y += cols, dy += cols, dx += cols) {
    auto sum = hn::Zero(d);
    ForVectors(d, cols, [&](int64_t, auto load, auto) HWY_ATTR { sum = hn::MulAdd(load(y), load(dy), sum); });
    const auto dot = hn::SumOfLanes(d, sum);
    ForVectors(d, cols, [&](int64_t, auto load, auto store) HWY_ATTR {
      store(hn::MulAdd(load(y), hn::Sub(load(dy), dot), load(dx)), dx);
    });
  }
}

void LogSoftmaxRows(const float* x, float* y, int64_t rows, int64_t cols) {
  const hn::ScalableTag<float> d;
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float max = RowMax(d, x, cols);
    if (!std::isfinite(max)) {
      std::fill_n(y, cols, max < 0 ? max : std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    const float sum = RowSumExp(d, x, cols, max, [](auto, auto) HWY_ATTR {});
    const auto top = hn::Set(d, max), log_sum = hn::Set(d, std::log(sum));
    ForVectors(d, cols, [&](int64_t, auto load, auto store) HWY_ATTR {
      store(hn::Sub(hn::Sub(load(x), top), log_sum), y);
    });
  }
}

void LogSoftmaxRowsBackward(const float* y, const float* dy, float* dx, int64_t rows, int64_t cols) {
  const hn::ScalableTag<float> d;
  for (int64_t r = 0; r < rows; ++r, y += cols, dy += cols, dx += cols) {
    auto sum = hn::Zero(d);
    ForVectors(d, cols, [&](int64_t, auto load, auto) HWY_ATTR { sum = hn::Add(load(dy), sum); });
    const auto total = hn::SumOfLanes(d, sum);
    ForVectors(d, cols, [&](int64_t, auto load, auto store) HWY_ATTR {
      store(hn::Add(load(dx), hn::NegMulAdd(Exp(d, load(y)), total, load(dy))), dx);
    });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(SoftmaxRows);
HWY_EXPORT(SoftmaxRowsBackward);
HWY_EXPORT(LogSoftmaxRows);
HWY_EXPORT(LogSoftmaxRowsBackward);

void softmax_rows(const float* x, float* y, int64_t rows, int64_t cols) {
  parallel_ranges(rows, rows_per_block(cols), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(SoftmaxRows)(x + begin * cols, y + begin * cols, end - begin, cols);
  });
}

void softmax_rows_backward(const float* y, const float* dy, float* dx, int64_t rows, int64_t cols) {
  parallel_ranges(rows, rows_per_block(cols), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * cols;
    HWY_DYNAMIC_DISPATCH(SoftmaxRowsBackward)(y + at, dy + at, dx + at, end - begin, cols);
  });
}

void log_softmax_rows(const float* x, float* y, int64_t rows, int64_t cols) {
  parallel_ranges(rows, rows_per_block(cols), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(LogSoftmaxRows)(x + begin * cols, y + begin * cols, end - begin, cols);
  });
}

void log_softmax_rows_backward(const float* y, const float* dy, float* dx, int64_t rows, int64_t cols) {
  parallel_ranges(rows, rows_per_block(cols), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * cols;
    HWY_DYNAMIC_DISPATCH(LogSoftmaxRowsBackward)(y + at, dy + at, dx + at, end - begin, cols);
  });
}

}  // namespace fovea::kernels
#endif
