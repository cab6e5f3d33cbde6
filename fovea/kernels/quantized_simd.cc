#include <algorithm>
#include <cstring>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/quantized.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/quantized_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/quantized-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Groups [begin, end) of the rows of A in 16 bits.
void QuantizeGroups(const QuantizedRows& rows, int64_t begin, int64_t end, const float* a, int64_t lda,
                    float levels, int32_t* pairs, float* units) {
  Scratch scratch;
  auto* row =
      scratch.take<int16_t>(rows.k + static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<int16_t>())) + 1);
  for (int64_t g = begin; g < end; ++g) {
    const int64_t first = rows.begin(g), count = rows.begin(g + 1) - first;
    for (int64_t r = 0; r < count; ++r) {
      units[first + r] = QuantizeRow(rows.k, a + (first + r) * lda, levels, row);
      int32_t* to = pairs + first * rows.pairs + r;
      for (int64_t p = 0; p < rows.pairs; ++p, to += count) std::memcpy(to, row + 2 * p, sizeof *to);
    }
  }
}

// Groups [begin, end) of rows and panels [from, to) of the product, on this thread.
void QuantizedBlock(const QuantizedRows& rows, int64_t begin, int64_t end, int64_t from, int64_t to,
                    const int32_t* pairs, const QuantizedSum& sum, int64_t n, const int8_t* packed, float* c,
                    int64_t ldc) {
  const QuantizedLayout layout(n, rows.k);
  for (int64_t i = from; i < to; ++i) {
    const int64_t j = i * kQuantizedPanel, columns = std::min(kQuantizedPanel, n - j);
    for (int64_t g = begin; g < end; ++g) {
      const int64_t first = rows.begin(g), count = rows.begin(g + 1) - first;
      QuantizedPanelRows(count, rows.pairs, pairs + first * rows.pairs, packed + layout.panel(i),
                         sum.at(first, j), c + first * ldc + j, ldc, columns);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(QuantizeGroups);
HWY_EXPORT(QuantizedBlock);

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// How C is cut into blocks for threads. It changes no result. The rows of a block are read again for each of its panels, so they
// should stay in the second-level cache; a panel is read once for each block of rows.
struct Blocks {
  Blocks(const QuantizedRows& rows, const QuantizedLayout& layout) : panels(layout.panels) {
    constexpr int64_t kRowBytes = 256 << 10;
    constexpr int64_t kWork = 64 << 10;  // multiply-adds, or bytes of weights, that are worth a thread
    constexpr int64_t kEnough = 16;      // blocks, so that no thread waits long for the last
    const int64_t group_bytes = QuantizedRows::kMost * rows.pairs * static_cast<int64_t>(sizeof(int32_t));
    groups = std::clamp<int64_t>(kRowBytes / std::max<int64_t>(1, group_bytes), 1, rows.groups);
    groups = divided_up(rows.groups, divided_up(rows.groups, groups));
    const int64_t down = divided_up(rows.groups, groups),
                  count = std::min(rows.m, groups * QuantizedRows::kMost);
    while (down * divided_up(layout.panels, panels) < kEnough && panels > 1 &&
           panels * layout.panel_bytes * count >= 2 * kWork)
      panels = divided_up(panels, 2);
  }
  int64_t groups, panels;
};

}  // namespace

void gemm_quantized(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const int8_t* packed,
                    const float* bias, float beta, float* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  const QuantizedRows rows(m, k);
  const float levels = *reinterpret_cast<const float*>(packed);
  Scratch scratch;
  auto* pairs = scratch.take<int32_t>(m * rows.pairs);
  auto* units = scratch.take<float>(m);
  constexpr int64_t kGrain = 1 << 14;  // elements of A that are worth a thread
  const int64_t grain = divided_up(kGrain, QuantizedRows::kMost * std::max<int64_t>(1, k));
  parallel_ranges(rows.groups, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(QuantizeGroups)(rows, begin, end, a, lda, levels, pairs, units);
  });

  const auto* scales = reinterpret_cast<const float*>(packed + QuantizedLayout::scales());
  const QuantizedSum sum{units, scales, bias, beta};
  const QuantizedLayout layout(n, k);
  const Blocks blocks(rows, layout);
  const int64_t across = divided_up(layout.panels, blocks.panels);
  parallel_for(divided_up(rows.groups, blocks.groups) * across, [&](int64_t block) {
    const int64_t g = block / across * blocks.groups, i = block % across * blocks.panels;
    HWY_DYNAMIC_DISPATCH(QuantizedBlock)
    (rows, g, std::min(rows.groups, g + blocks.groups), i, std::min(layout.panels, i + blocks.panels), pairs,
     sum, n, packed, c, ldc);
  });
}

}  // namespace fovea::kernels
#endif
