#include <cstring>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/embedding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/embedding_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Columns [begin, end) of every row.
void ScatterAddColumns(const float* dy, const int32_t* ids, float* dtable, int64_t n, int64_t cols,
                       int64_t begin, int64_t end) {
  const hn::ScalableTag<float> d;
  for (int64_t r = 0; r < n; ++r) {
    const float* from = dy + r * cols + begin;
    float* to = dtable + ids[r] * cols + begin;
    ForVectors(d, end - begin,
               [&](int64_t, auto load, auto store) HWY_ATTR { store(hn::Add(load(to), load(from)), to); });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(ScatterAddColumns);

void gather_rows(const float* table, const int32_t* ids, float* y, int64_t n, int64_t cols) {
  if (cols == 0) return;
  parallel_ranges(n, rows_per_block(cols), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      std::memcpy(y + r * cols, table + ids[r] * cols, static_cast<size_t>(cols) * sizeof(float));
  });
}

void scatter_add_rows(const float* dy, const int32_t* ids, float* dtable, int64_t n, int64_t cols) {
  constexpr int64_t kColumns = 128;  // a run of whole cache lines, long enough to stream
  const int64_t grain = n * cols <= kBlockElements ? cols : kColumns;
  if (cols == 0) return;
  parallel_ranges(cols, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ScatterAddColumns)(dy, ids, dtable, n, cols, begin, end);
  });
}

}  // namespace fovea::kernels
#endif
