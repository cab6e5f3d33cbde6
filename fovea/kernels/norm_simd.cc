#include <algorithm>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/norm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/norm_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void NormRowsBlock(const NormRows<float>& a, int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<float>(a.cols);
  for (int64_t r = begin; r < end; ++r) {
    const float* s = a.x + r * a.cols;
    if (a.residual) {
      const float *x = s, *residual = a.residual + r * a.cols;
      float* to = a.sum + r * a.cols;
      ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR {
        store(hn::Add(load(x), load(residual)), to);
      });
      s = to;
    }
    const float mean = a.mean ? SumVectors(d, a.cols, [&](auto load) HWY_ATTR { return load(s); }) / n : 0.0f;
    const auto centre = hn::Set(d, mean);
    const double variance = SumVectors(d, a.cols,
                                       [&](auto load) HWY_ATTR {
                                         const auto v = hn::Sub(load(s), centre);
                                         return hn::Mul(v, v);
                                       }) /
                            n;
    const auto rstd = static_cast<float>(1 / std::sqrt(variance + a.eps));
    if (a.mean) a.mean[r] = mean;
    a.rstd[r] = rstd;
    const auto scale = hn::Set(d, rstd);
    float* y = a.y + r * a.cols;
    if (a.bias) {
      ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR {
        store(hn::MulAdd(hn::Mul(hn::Sub(load(s), centre), scale), load(a.gain), load(a.bias)), y);
      });
    } else {
      ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR {
        store(hn::Mul(hn::Mul(hn::Sub(load(s), centre), scale), load(a.gain)), y);
      });
    }
  }
}

// Rows [r, r + kRows) of dx; their sums for gain and bias are added to dgain and dbias (null where not wanted). Several rows go side
// by side: dgain and dbias are read and written once for all of them, and the sum of one row need not wait for another's.
template <int kRows, bool kGain, bool kBias>
HWY_INLINE void NormBackward(const NormRowsBackward<float>& a, int64_t r, float* HWY_RESTRICT dgain,
                             float* HWY_RESTRICT dbias) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const auto n = static_cast<float>(a.cols);
  const float *s = a.s + r * a.cols, *dy = a.dy + r * a.cols;
  V g_sum[kRows], gx_sum[kRows], centre[kRows], scale[kRows];
  for (int i = 0; i < kRows; ++i) {
    g_sum[i] = gx_sum[i] = hn::Zero(d);
    centre[i] = hn::Set(d, a.mean ? a.mean[r + i] : 0.0f);
    scale[i] = hn::Set(d, a.rstd[r + i]);
  }
  ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR {
    const V gain = load(a.gain);
    V gain_sum = hn::Zero(d), bias_sum = hn::Zero(d);
    for (int i = 0; i < kRows; ++i) {
      const V dv = load(dy + i * a.cols), xhat = hn::Mul(hn::Sub(load(s + i * a.cols), centre[i]), scale[i]),
              g = hn::Mul(dv, gain);
      g_sum[i] = hn::Add(g_sum[i], g);
      gx_sum[i] = hn::MulAdd(g, xhat, gx_sum[i]);
      if constexpr (kGain) gain_sum = hn::MulAdd(dv, xhat, gain_sum);
      if constexpr (kBias) bias_sum = hn::Add(bias_sum, dv);
    }
    if constexpr (kGain) store(hn::Add(gain_sum, load(dgain)), dgain);
    if constexpr (kBias) store(hn::Add(bias_sum, load(dbias)), dbias);
  });
  if (!a.dx) return;
  const auto beta = hn::Set(d, a.beta);
  for (int i = 0; i < kRows; ++i, s += a.cols, dy += a.cols) {
    const auto g_mean = hn::Set(d, a.mean ? hn::GetLane(hn::SumOfLanes(d, g_sum[i])) / n : 0.0f);
    const auto gx_mean = hn::Set(d, hn::GetLane(hn::SumOfLanes(d, gx_sum[i])) / n);
    float* dx = a.dx + (r + i) * a.cols;
    auto gradient = [&](auto load) HWY_ATTR {
      const auto xhat = hn::Mul(hn::Sub(load(s), centre[i]), scale[i]);
      const auto g = hn::Sub(hn::Mul(load(dy), load(a.gain)), g_mean);
      return hn::Mul(scale[i], hn::NegMulAdd(xhat, gx_mean, g));
    };
    if (a.beta == 0) {
      ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR { store(gradient(load), dx); });
    } else {
      ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR {
        store(hn::MulAdd(load(dx), beta, gradient(load)), dx);
      });
    }
  }
}

template <bool kGain, bool kBias>
HWY_INLINE void NormBackwardRows(const NormRowsBackward<float>& a, int64_t begin, int64_t end, float* dgain,
                                 float* dbias) {
  constexpr int kTogether = 4;
  int64_t r = begin;
  for (; r + kTogether <= end; r += kTogether) NormBackward<kTogether, kGain, kBias>(a, r, dgain, dbias);
  for (; r < end; ++r) NormBackward<1, kGain, kBias>(a, r, dgain, dbias);
}

// dgain and dbias: null where not wanted.
void NormRowsBackwardBlock(const NormRowsBackward<float>& a, int64_t begin, int64_t end, float* dgain,
                           float* dbias) {
  if (dgain && dbias)
    NormBackwardRows<true, true>(a, begin, end, dgain, dbias);
  else if (dgain)
    NormBackwardRows<true, false>(a, begin, end, dgain, nullptr);
  else if (dbias)
    NormBackwardRows<false, true>(a, begin, end, nullptr, dbias);
  else
    NormBackwardRows<false, false>(a, begin, end, nullptr, nullptr);
}

// to[c] = beta to[c] + sum_b from[b][c], where partial sums lie `stride` apart.
void AddPartials(const float* from, int64_t blocks, int64_t stride, float* to, float beta, int64_t cols) {
  const hn::ScalableTag<float> d;
  const auto old = hn::Set(d, beta);
  ForVectors(d, cols, [&](int64_t, auto load, auto store) HWY_ATTR {
    auto sum = load(from);
    for (int64_t b = 1; b < blocks; ++b) sum = hn::Add(sum, load(from + b * stride));
    store(beta == 0 ? sum : hn::MulAdd(load(to), old, sum), to);
  });
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

// At most 16 blocks of rows, so that their partial sums stay small.
int64_t backward_grain(int64_t rows, int64_t cols) {
  return std::max(rows_per_block(cols), (rows + 15) / 16);
}
int64_t backward_blocks(int64_t rows, int64_t cols) {
  const int64_t grain = backward_grain(rows, cols);
  return std::max<int64_t>(1, (rows + grain - 1) / grain);
}

}  // namespace
HWY_EXPORT(NormRowsBlock);
HWY_EXPORT(NormRowsBackwardBlock);
HWY_EXPORT(AddPartials);

void norm_rows(const NormRows<float>& a) {
  parallel_ranges(a.rows, rows_per_block(a.cols), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(NormRowsBlock)(a, begin, end);
  });
}

int64_t norm_scratch(int64_t rows, int64_t cols) { return 2 * cols * backward_blocks(rows, cols); }

void norm_rows_backward(const NormRowsBackward<float>& a) {
  const int64_t grain = backward_grain(a.rows, a.cols), stride = 2 * a.cols;
  const bool sums = a.dgain || a.dbias;
  if (sums) std::fill_n(a.scratch, norm_scratch(a.rows, a.cols), 0.0f);
  parallel_ranges(a.rows, grain, [&](int64_t begin, int64_t end) {
    float* partial = sums ? a.scratch + begin / grain * stride : nullptr;
    HWY_DYNAMIC_DISPATCH(NormRowsBackwardBlock)
    (a, begin, end, a.dgain ? partial : nullptr, a.dbias ? partial + a.cols : nullptr);
  });
  const int64_t blocks = backward_blocks(a.rows, a.cols);
  auto add = HWY_DYNAMIC_DISPATCH(AddPartials);
  if (a.dgain) add(a.scratch, blocks, stride, a.dgain, a.beta_gain, a.cols);
  if (a.dbias) add(a.scratch + a.cols, blocks, stride, a.dbias, a.beta_bias, a.cols);
}

}  // namespace fovea::kernels
#endif
