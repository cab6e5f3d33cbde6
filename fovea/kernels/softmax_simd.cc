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

// Rows of more than kVectors - 1 vectors and at most kVectors, which stay in registers from load to store.
template <int kVectors>
HWY_INLINE void ShortSoftmaxRows(const float* x, float* y, int64_t rows, int64_t cols) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t rest = cols - (kVectors - 1) * lanes;
  const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity()), log2e = hn::Set(d, 1.44269504f);
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    hn::Vec<decltype(d)> v[kVectors];
    for (int i = 0; i + 1 < kVectors; ++i) v[i] = hn::LoadU(d, x + i * lanes);
    v[kVectors - 1] = LoadTailOr(d, x + (kVectors - 1) * lanes, rest, hidden);
    auto top = v[0];
    auto nan = hn::IsNaN(v[0]);
    for (int i = 1; i < kVectors; ++i) {
      top = hn::Max(top, v[i]);
      nan = hn::Or(nan, hn::IsNaN(v[i]));
    }
    top = hn::MaxOfLanes(d, top);
    const float max = hn::GetLane(top);
    if (HWY_UNLIKELY(!std::isfinite(max) || !hn::AllFalse(d, nan))) {
      const bool masked = max < 0 && hn::AllFalse(d, nan);
      std::fill_n(y, cols, masked ? 0.0f : std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    auto sum = hn::Zero(d);
    for (int i = 0; i < kVectors; ++i) {
      v[i] = Exp2(d, hn::Mul(hn::Sub(v[i], top), log2e));
      sum = hn::Add(sum, v[i]);
    }
    const auto scale = hn::Div(hn::Set(d, 1.0f), hn::SumOfLanes(d, sum));
    for (int i = 0; i + 1 < kVectors; ++i) hn::StoreU(hn::Mul(v[i], scale), d, y + i * lanes);
    StoreTail(d, hn::Mul(v[kVectors - 1], scale), y + (kVectors - 1) * lanes, rest);
  }
}

void SoftmaxRows(const float* x, float* y, int64_t rows, int64_t cols) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (cols == 0) return;
  if (cols <= lanes) return ShortSoftmaxRows<1>(x, y, rows, cols);
  if (cols <= 2 * lanes) return ShortSoftmaxRows<2>(x, y, rows, cols);
  if (cols <= 3 * lanes) return ShortSoftmaxRows<3>(x, y, rows, cols);
  if (cols <= 4 * lanes) return ShortSoftmaxRows<4>(x, y, rows, cols);
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const float max = RowMax(d, x, cols);
    if (HWY_UNLIKELY(!std::isfinite(max))) {  // everything is hidden, or the row has no answer
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
    const auto total = hn::Set(d, SumVectors(d, cols, [&](auto load) HWY_ATTR { return load(dy); }));
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
