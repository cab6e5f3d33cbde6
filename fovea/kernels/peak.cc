#include "fovea/kernels/peak.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "fovea/base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/peak.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains hide the latency of an FMA (4 or 5 cycles, two a cycle) and fit the registers of every
// target. Returns the flops done; *sink keeps the compiler from leaving them out.
double FmaChains(int64_t steps, float* sink) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999999f), term = hn::Set(d, 1e-6f);
  auto a0 = hn::Set(d, 0.50f), a1 = hn::Set(d, 0.51f), a2 = hn::Set(d, 0.52f), a3 = hn::Set(d, 0.53f);
  auto a4 = hn::Set(d, 0.54f), a5 = hn::Set(d, 0.55f), a6 = hn::Set(d, 0.56f), a7 = hn::Set(d, 0.57f);
  auto a8 = hn::Set(d, 0.58f), a9 = hn::Set(d, 0.59f), a10 = hn::Set(d, 0.60f), a11 = hn::Set(d, 0.61f);
  for (int64_t i = 0; i < steps; ++i) {
    a0 = hn::MulAdd(a0, factor, term);
    a1 = hn::MulAdd(a1, factor, term);
    a2 = hn::MulAdd(a2, factor, term);
    a3 = hn::MulAdd(a3, factor, term);
    a4 = hn::MulAdd(a4, factor, term);
    a5 = hn::MulAdd(a5, factor, term);
    a6 = hn::MulAdd(a6, factor, term);
    a7 = hn::MulAdd(a7, factor, term);
    a8 = hn::MulAdd(a8, factor, term);
    a9 = hn::MulAdd(a9, factor, term);
    a10 = hn::MulAdd(a10, factor, term);
    a11 = hn::MulAdd(a11, factor, term);
  }
  const auto even = hn::Add(hn::Add(hn::Add(a0, a2), hn::Add(a4, a6)), hn::Add(a8, a10));
  const auto odd = hn::Add(hn::Add(hn::Add(a1, a3), hn::Add(a5, a7)), hn::Add(a9, a11));
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  return 2.0 * 12.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(steps);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(FmaChains);
namespace {

// The best rate of several rounds; round() returns the work it did.
template <typename F>
double best_rate(int rounds, F&& round) {
  double best = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const double work = round();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, work / took.count());
  }
  return best;
}

}  // namespace

double peak_gflops() {
  constexpr int kRounds = 10, kPieces = 8;
  constexpr int64_t kSteps = 400'000;  // near 1 ms: short enough to fall between other programs' turns
  const int64_t pieces = int64_t{kPieces} * threads();
  std::vector<double> work(static_cast<size_t>(pieces));
  std::vector<float> sinks(static_cast<size_t>(pieces));
  const double rate = best_rate(kRounds, [&] {
    parallel_for(pieces, [&](int64_t i) { work[i] = HWY_DYNAMIC_DISPATCH(FmaChains)(kSteps, &sinks[i]); });
    double all = 0;
    for (const double w : work) all += w;
    return all;
  });
  return rate / 1e9;
}

double peak_memory_gbs() {
  constexpr int kRounds = 5;
  constexpr int64_t kFloats = 16 << 20;
  constexpr int64_t kGrain = 1 << 16;
  std::vector<float> sum(kFloats, 1), left(kFloats, 2), right(kFloats, 3);
  float* const a = sum.data();
  const float *const b = left.data(), *const c = right.data();
  const double rate = best_rate(kRounds, [&] {
    parallel_ranges(kFloats, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) a[i] = b[i] + 0.5f * c[i];
    });
    return 3.0 * sizeof(float) * kFloats;
  });
  return rate / 1e9;
}

}  // namespace fovea::kernels
#endif
