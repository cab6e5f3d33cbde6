#include "fovea/base/parallel.h"
#include "fovea/kernels/accumulate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/accumulate_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Accumulate(const float* x, float* sum, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, sum + i), hn::LoadU(d, x + i)), d, sum + i);
  for (; i < n; ++i) sum[i] += x[i];
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(Accumulate);

void accumulate(const float* x, float* sum, int64_t n) {
  constexpr int64_t kGrain = 1 << 15;
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Accumulate)(x + begin, sum + begin, end - begin);
  });
}
}  // namespace fovea::kernels
#endif
