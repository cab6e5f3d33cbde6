#include <algorithm>
#include <array>

#include "fovea/base/parallel.h"
#include "fovea/kernels/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/reduce_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sum of x[0, n). Runs of 1024 in vectors, then in f64.
double SumRun(const float* x, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kRun = 1024;
  double sum = 0;
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = std::min(n, begin + kRun);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      s0 = hn::Add(s0, hn::LoadU(d, x + i));
      s1 = hn::Add(s1, hn::LoadU(d, x + i + lanes));
      s2 = hn::Add(s2, hn::LoadU(d, x + i + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(d, x + i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) s0 = hn::Add(s0, hn::LoadU(d, x + i));
    sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)))));
    for (; i < end; ++i) sum += static_cast<double>(x[i]);
  }
  return sum;
}

// y[i] = alpha * sum_j x[j * stride + i] + beta * y[i] for i < width <= 64. Runs of 32 rows, of 32 such runs,
// then of those.
void SumColumns(const float* x, int64_t n, int64_t stride, int64_t width, float alpha, float beta, float* y) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kRun = 32;
  const auto finish = [&](float sum, float& out) { out = alpha * sum + (beta == 0 ? 0.0f : beta * out); };
  int64_t i = 0;
  const auto columns =
      [&](auto vectors) {  // so many vectors side by side, to keep the adders and the caches busy
        constexpr int64_t kVectors = decltype(vectors)::value;
        for (; i + kVectors * lanes <= width; i += kVectors * lanes) {
          hn::Vec<decltype(d)> total[kVectors], runs[kVectors], run[kVectors];
          const auto move = [](auto& from, auto& to) {
            for (int64_t v = 0; v < kVectors; ++v) {
              to[v] = hn::Add(to[v], from[v]);
              from[v] = hn::Zero(hn::ScalableTag<float>());
            }
          };
          for (int64_t v = 0; v < kVectors; ++v) total[v] = runs[v] = run[v] = hn::Zero(d);
          for (int64_t begin = 0; begin < n; begin += kRun) {
            for (int64_t j = begin; j < std::min(n, begin + kRun); ++j)
              for (int64_t v = 0; v < kVectors; ++v)
                run[v] = hn::Add(run[v], hn::LoadU(d, x + j * stride + i + v * lanes));
            move(run, runs);
            if (begin / kRun % kRun == kRun - 1) move(runs, total);
          }
          move(runs, total);
          for (int64_t v = 0; v < kVectors; ++v) {
            float* out = y + i + v * lanes;
            auto sum = hn::Mul(total[v], hn::Set(d, alpha));
            if (beta != 0) sum = hn::Add(sum, hn::Mul(hn::Set(d, beta), hn::LoadU(d, out)));
            hn::StoreU(sum, d, out);
          }
        }
      };
  columns(std::integral_constant<int64_t, 4>());
  columns(std::integral_constant<int64_t, 1>());
  for (; i < width; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += static_cast<double>(x[j * stride + i]);
    finish(static_cast<float>(sum), y[i]);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(SumRun);
HWY_EXPORT(SumColumns);
namespace {

constexpr int64_t kGrain = 1 << 15;

// Sums of rows: inner is 1.
void sum_rows(const float* x, float* y, int64_t rows, int64_t n, float alpha, float beta) {
  const auto finish = [&](double sum, float& out) {
    out = static_cast<float>(alpha * sum +
                             (beta == 0 ? 0.0 : static_cast<double>(beta) * static_cast<double>(out)));
  };
  if (n <= 4 * kGrain || rows > 16) {
    parallel_ranges(rows, std::max<int64_t>(1, kGrain / (n + 1)), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) finish(HWY_DYNAMIC_DISPATCH(SumRun)(x + r * n, n), y[r]);
    });
    return;
  }
  constexpr int64_t kParts = 64;  // a long row is cut, and the parts are added in order
  const int64_t part = (n + kParts - 1) / kParts;
  for (int64_t r = 0; r < rows; ++r) {
    std::array<double, kParts> sums{};
    parallel_for(kParts, [&](int64_t p) {
      const int64_t begin = std::min(n, p * part), end = std::min(n, begin + part);
      sums[static_cast<size_t>(p)] = HWY_DYNAMIC_DISPATCH(SumRun)(x + r * n + begin, end - begin);
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    finish(sum, y[r]);
  }
}

}  // namespace

void sum_axis(const float* x, float* y, int64_t outer, int64_t n, int64_t inner, float alpha, float beta) {
  if (inner == 1) return sum_rows(x, y, outer, n, alpha, beta);
  constexpr int64_t kWidth = 64;
  const int64_t across = (inner + kWidth - 1) / kWidth;
  parallel_ranges(outer * across, std::max<int64_t>(1, kGrain / (n * std::min(inner, kWidth) + 1)),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t block = begin; block < end; ++block) {
                      const int64_t o = block / across, i = block % across * kWidth;
                      HWY_DYNAMIC_DISPATCH(SumColumns)
                      (x + o * n * inner + i, n, inner, std::min(kWidth, inner - i), alpha, beta,
                       y + o * inner + i);
                    }
                  });
}
}  // namespace fovea::kernels
#endif
