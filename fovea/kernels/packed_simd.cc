#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/kernels/packed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/packed_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/packed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void PackedColumns(int64_t m, int64_t begin, int64_t end, int64_t k, const float* a, int64_t lda,
                   const float* packed, const float* bias, float beta, float* c, int64_t ldc) {
  GemmPacked(m, begin, end, k, a, lda, packed, bias, beta, c, ldc);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(PackedColumns);

void pack(bool tb, int64_t k, int64_t n, const float* b, int64_t ldb, float* packed) {
  const int64_t panels = (n + kPanel - 1) / kPanel;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, kPanel * k));
  parallel_ranges(panels, grain, [&](int64_t begin, int64_t end) {
    const float* from = tb ? b + begin * kPanel * ldb : b + begin * kPanel;
    ref::pack(tb, k, std::min(n, end * kPanel) - begin * kPanel, from, ldb, packed + begin * kPanel * k);
  });
}

void gemm_packed(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* packed,
                 const float* bias, float beta, float* c, int64_t ldc) {
  // Runs of whole panels with enough work to be worth a thread; rows stay together, so that a panel is read once.
  constexpr int64_t kWork = 1 << 18;
  const int64_t panels = (n + kPanel - 1) / kPanel;
  const int64_t work = std::max<int64_t>(1, m * k * kPanel);
  const int64_t grain = std::clamp<int64_t>(kWork / work, 1, std::max<int64_t>(1, panels));
  parallel_ranges(panels, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(PackedColumns)
    (m, begin * kPanel, std::min(n, end * kPanel), k, a, lda, packed, bias, beta, c, ldc);
  });
}
}  // namespace fovea::kernels
#endif
