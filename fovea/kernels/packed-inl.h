// The inner loops of packed products, on one thread: tiles of 4 rows by 3 vectors stay in registers while k runs.
// Include it after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_PACKED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PACKED_INL_H_
#undef FOVEA_KERNELS_PACKED_INL_H_
#else
#define FOVEA_KERNELS_PACKED_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "fovea/kernels/packed.h"
#include "fovea/kernels/tail-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Columns that one tile computes. Widths of 1, 4, 8 and 16 lanes all divide a panel.
HWY_INLINE int64_t TileColumns() { return 3 * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>())); }

// c[0..kRows, 0..columns) of kRows rows of A and the columns of B that start at `b`, whose rows are kPanel apart.
template <int kRows>
HWY_INLINE void PackedTile(int64_t k, const float* HWY_RESTRICT a, int64_t lda, const float* HWY_RESTRICT b,
                           const float* bias, float beta, float* c, int64_t ldc, int64_t columns) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum[kRows][3];
  for (auto& row : sum)
    for (V& s : row) s = hn::Zero(d);
  for (int64_t p = 0; p < k; ++p, b += kPanel) {
    const V b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes), b2 = hn::LoadU(d, b + 2 * lanes);
    for (int r = 0; r < kRows; ++r) {
      const V x = hn::Set(d, a[r * lda + p]);
      sum[r][0] = hn::MulAdd(x, b0, sum[r][0]);
      sum[r][1] = hn::MulAdd(x, b1, sum[r][1]);
      sum[r][2] = hn::MulAdd(x, b2, sum[r][2]);
    }
  }
  const V scale = hn::Set(d, beta);
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < 3; ++v) {
      const int64_t at = v * lanes, left = std::min(lanes, columns - at);
      if (left <= 0) break;
      float* out = c + r * ldc + at;
      V y = sum[r][v];
      if (left == lanes) {
        if (bias) y = hn::Add(y, hn::LoadU(d, bias + at));
        if (beta != 0) y = hn::MulAdd(scale, hn::LoadU(d, out), y);
        hn::StoreU(y, d, out);
      } else {
        if (bias) y = hn::Add(y, LoadTail(d, bias + at, left));
        if (beta != 0) y = hn::MulAdd(scale, LoadTail(d, out, left), y);
        StoreTail(d, y, out, left);
      }
    }
  }
}

// Columns [begin, end) of the product, on this thread; begin is a multiple of TileColumns(). k runs in stretches whose part of a
// panel stays in the first-level cache while the rows pass over it.
HWY_INLINE void GemmPacked(int64_t m, int64_t begin, int64_t end, int64_t k, const float* a, int64_t lda,
                           const float* packed, const float* bias, float beta, float* c, int64_t ldc) {
  constexpr int64_t kStretch = 128;
  const int64_t width = TileColumns();
  for (int64_t j = begin; j < end; j += width) {
    const float* column = packed + j / kPanel * kPanel * k + j % kPanel;
    const int64_t columns = std::min(width, end - j);
    int64_t p = 0;
    do {
      const int64_t stretch = std::min(kStretch, k - p);
      const float* b = column + p * kPanel;
      const float* plus = bias && p == 0 ? bias + j : nullptr;
      const float keep = p == 0 ? beta : 1.0f;
      const float* x = a + p;
      float* y = c + j;
      int64_t i = 0;
      for (; i + 4 <= m; i += 4)
        PackedTile<4>(stretch, x + i * lda, lda, b, plus, keep, y + i * ldc, ldc, columns);
      if (m - i == 3) PackedTile<3>(stretch, x + i * lda, lda, b, plus, keep, y + i * ldc, ldc, columns);
      if (m - i == 2) PackedTile<2>(stretch, x + i * lda, lda, b, plus, keep, y + i * ldc, ldc, columns);
      if (m - i == 1) PackedTile<1>(stretch, x + i * lda, lda, b, plus, keep, y + i * ldc, ldc, columns);
      p += stretch;
    } while (p < k);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
