#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/packed_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/packed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

// Rows [i, i + m) and columns [begin, end) of the product, on this thread.
void PackedBlock(bool ta, int64_t i, int64_t m, int64_t begin, int64_t end, int64_t k, const float* a,
                 int64_t lda, const float* packed, const float* bias, float beta, float* c, int64_t ldc) {
  // A that lies across the order of reading, or whose rows all fall on the same lines of the cache, is copied where the copy
  // serves more than one panel.
  const bool copied = (ta || (lda % 1024 == 0 && end - begin > 4 * kPanel)) && end - begin > kPanel && m > 2;
  Scratch scratch;
  float* room = copied ? scratch.take<float>(PackedRoom(m, k)) : nullptr;
  const PackedLeft left = ta ? PackedLeft{a + i, 1, lda} : PackedLeft{a + i * lda, lda, 1};
  GemmPacked(m, begin, end, k, left, packed, {bias, beta}, c + i * ldc, ldc, room);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(PackedBlock);

int64_t divided_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// How C is cut into blocks for threads. It changes no result. A panel is read once for each block of rows, and the rows of a block
// are read again for each panel, so those should be many, but stay in the second-level cache.
struct Blocks {
  Blocks(int64_t m, int64_t n, int64_t k) : rows(m), panels(divided_up(n, kPanel)) {
    constexpr int64_t kMostRows = 144, kMostNumbers = 1 << 17;  // of A: half of a second-level cache
    constexpr int64_t kWork = 1 << 18;                          // multiply-adds that are worth a thread
    constexpr int64_t kFewRows = 8;  // fewer take as long: B has to come from memory
    constexpr int64_t kEnough = 8;   // blocks, so that no thread waits long for the last
    const int64_t all = panels;
    const int64_t most = std::clamp<int64_t>(kMostNumbers / std::max<int64_t>(1, k), 48, kMostRows);
    rows = divided_up(m, divided_up(m, most));
    const auto count = [&] { return divided_up(m, rows) * divided_up(all, panels); };
    const auto worth = [&] { return std::max(rows, kFewRows) * panels * kPanel * k >= 2 * kWork; };
    const auto cut_rows = [&](int64_t least) {
      while (count() < kEnough && worth() && rows >= least) rows = divided_up(rows, 2);
    };
    cut_rows(96);
    while (count() < kEnough && worth() && panels > 1) panels = divided_up(panels, 2);
    cut_rows(24);
  }
  int64_t rows, panels;
};

void pack_panel(bool tb, int64_t k, int64_t columns, const float* b, int64_t ldb, float* packed) {
  if (tb) transpose(b, ldb, packed, kPanel, columns, k);
  for (int64_t p = 0; p < k; ++p) {
    if (!tb) std::copy_n(b + p * ldb, columns, packed + p * kPanel);
    std::fill_n(packed + p * kPanel + columns, kPanel - columns, 0.0f);
  }
}

}  // namespace

void pack(bool tb, int64_t k, int64_t n, const float* b, int64_t ldb, float* packed) {
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(1, kPanel * k));
  parallel_ranges(divided_up(n, kPanel), grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin * kPanel; j < std::min(n, end * kPanel); j += kPanel)
      pack_panel(tb, k, std::min(kPanel, n - j), tb ? b + j * ldb : b + j, ldb, packed + j * k);
  });
}

void gemm_packed(bool ta, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* packed,
                 const float* bias, float beta, float* c, int64_t ldc) {
  if (m <= 0 || n <= 0) return;
  const Blocks blocks(m, n, k);
  const int64_t width = blocks.panels * kPanel, across = divided_up(n, width);
  parallel_for(divided_up(m, blocks.rows) * across, [&](int64_t block) {
    const int64_t i = block / across * blocks.rows, j = block % across * width;
    HWY_DYNAMIC_DISPATCH(PackedBlock)
    (ta, i, std::min(blocks.rows, m - i), j, std::min(n, j + width), k, a, lda, packed, bias, beta, c, ldc);
  });
}

}  // namespace fovea::kernels
#endif
