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

// Rows [begin, end) of dx; their sums for gain and bias are added to dgain and dbias (null where not wanted).
template <bool kSums>
HWY_INLINE void NormBackward(const NormRowsBackward<float>& a, int64_t begin, int64_t end, float* dgain,
                             float* dbias) {
  const hn::ScalableTag<float> d;
  const auto n = static_cast<float>(a.cols);
  for (int64_t r = begin; r < end; ++r) {
    const float *s = a.s + r * a.cols, *dy = a.dy + r * a.cols;
    const auto centre = hn::Set(d, a.mean ? a.mean[r] : 0.0f), scale = hn::Set(d, a.rstd[r]);
    auto g_sum = hn::Zero(d), gx_sum = hn::Zero(d);
    ForVectors(d, a.cols, [&](int64_t, auto load, auto store) HWY_ATTR {
      const auto dv = load(dy), xhat = hn::Mul(hn::Sub(load(s), centre), scale),
                 g = hn::Mul(dv, load(a.gain));
      g_sum = hn::Add(g_sum, g);
      gx_sum = hn::MulAdd(g, xhat, gx_sum);
      if constexpr (kSums) {
        store(hn::MulAdd(dv, xhat, load(dgain)), dgain);
        store(hn::Add(dv, load(dbias)), dbias);
      }
    });
    if (!a.dx) continue;
    const auto g_mean = hn::Set(d, a.mean ? hn::GetLane(hn::SumOfLanes(d, g_sum)) / n : 0.0f);
    const auto gx_mean = hn::Set(d, hn::GetLane(hn::SumOfLanes(d, gx_sum)) / n);
    const auto beta = hn::Set(d, a.beta);
    float* dx = a.dx + r * a.cols;
    auto gradient = [&](auto load) HWY_ATTR {
      const auto xhat = hn::Mul(hn::Sub(load(s), centre), scale);
      const auto g = hn::Sub(hn::Mul(load(dy), load(a.gain)), g_mean);
      return hn::Mul(scale, hn::NegMulAdd(xhat, gx_mean, g));
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

void NormRowsBackwardBlock(const NormRowsBackward<float>& a, int64_t begin, int64_t end, float* dgain,
                           float* dbias) {
  if (dgain)
    NormBackward<true>(a, begin, end, dgain, dbias);
  else
    NormBackward<false>(a, begin, end, nullptr, nullptr);
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

// At most 64 blocks of rows, so that their partial sums stay small.
int64_t backward_grain(int64_t rows, int64_t cols) {
  return std::max(rows_per_block(cols), (rows + 63) / 64);
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
    HWY_DYNAMIC_DISPATCH(NormRowsBackwardBlock)(a, begin, end, partial, sums ? partial + a.cols : nullptr);
  });
  const int64_t blocks = backward_blocks(a.rows, a.cols);
  auto add = HWY_DYNAMIC_DISPATCH(AddPartials);
  if (a.dgain) add(a.scratch, blocks, stride, a.dgain, a.beta_gain, a.cols);
  if (a.dbias) add(a.scratch + a.cols, blocks, stride, a.dbias, a.beta_bias, a.cols);
}

}  // namespace fovea::kernels
#endif
