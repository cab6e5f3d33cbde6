// The inner loops of packed products, on one thread: a tile of C stays in registers while k runs.
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
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A tile of C: so many rows by so many vectors fill the registers, and leave some for a row of B and an element of A.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileRows = 6, kTileVectors = 4;  // of 32 registers
#else
constexpr int kTileRows = 6, kTileVectors = 2;  // of 16; with 8 lanes a row of B is one cache line
#endif
// k runs in stretches whose part of a tile's columns stays in the first-level cache while the rows pass over it. It decides in which
// order a sum is made, so it is the same for every product.
constexpr int64_t kStretch = 128;
// A is copied so many columns at a time: its rows, whose lines may all fall on the same few places of the first-level cache, then
// stay there until every tile has taken its part of them.
constexpr int64_t kCopied = 16;

// A[r, p] is a[r * row + p * col].
struct PackedLeft {
  const float* a;
  int64_t row, col;
};
// What is added to a sum: bias + beta * C. `bias` may be null.
struct PackedSum {
  const float* bias;
  float beta;
};

// One tile of C, from `columns` columns of B, whose rows are kPanel apart.
template <int kRows, int kVectors>
HWY_INLINE void PackedTile(int64_t k, const PackedLeft& left, const float* HWY_RESTRICT b,
                           const PackedSum& to, float* HWY_RESTRICT c, int64_t ldc, int64_t columns) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* HWY_RESTRICT a = left.a;
  const int64_t row = left.row, col = left.col;
  for (int r = 0; r < kRows; ++r) hwy::Prefetch(c + r * ldc);
  V sum[kRows][kVectors];
  for (auto& s : sum)
    for (V& x : s) x = hn::Zero(d);
  for (int64_t p = 0; p < k; ++p, a += col, b += kPanel) {
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const V x = hn::Set(d, a[r * row]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(x, right[v], sum[r][v]);
    }
  }
  if (columns == kVectors * lanes) {
    if (to.bias) {
      for (int v = 0; v < kVectors; ++v) {
        const V bias = hn::LoadU(d, to.bias + v * lanes);
        for (int r = 0; r < kRows; ++r) sum[r][v] = hn::Add(sum[r][v], bias);
      }
    }
    if (to.beta != 0) {
      const V beta = hn::Set(d, to.beta);
      for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < kVectors; ++v)
          sum[r][v] = hn::MulAdd(beta, hn::LoadU(d, c + r * ldc + v * lanes), sum[r][v]);
    }
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, c + r * ldc + v * lanes);
    return;
  }
  // The last columns: the same by way of memory, since vectors in registers cannot be counted.
  HWY_ALIGN float whole[kRows][kVectors * hn::MaxLanes(d)];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, whole[r] + v * lanes);
  for (int r = 0; r < kRows; ++r) {
    const V beta = hn::Set(d, to.beta);
    ForVectors(d, columns, [&](int64_t at, auto load, auto store) HWY_ATTR {
      V y = hn::Load(d, whole[r] + at);
      if (to.bias) y = hn::Add(y, load(to.bias));
      if (to.beta != 0) y = hn::MulAdd(beta, load(c + r * ldc), y);
      store(y, c + r * ldc);
    });
  }
}

template <int kRows, int kVectors>
HWY_INLINE void PackedTileOf(int64_t rows, int64_t k, const PackedLeft& left, const float* b,
                             const PackedSum& to, float* c, int64_t ldc, int64_t columns) {
  if (rows == kRows) return PackedTile<kRows, kVectors>(k, left, b, to, c, ldc, columns);
  if constexpr (kRows > 1) PackedTileOf<kRows - 1, kVectors>(rows, k, left, b, to, c, ldc, columns);
}

// m rows and `columns` columns of one panel, over one stretch. Rows are shared out evenly, so that no tile is much thinner than
// the others. A tile of a row or two is as wide as the registers allow: otherwise each addition would wait for the one before.
// `left` names the rows from i, of which there are `rows`.
template <typename Left>
HWY_INLINE void PackedPanel(int64_t m, int64_t k, const Left& left, const float* b, const PackedSum& to,
                            float* c, int64_t ldc, int64_t columns) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  const auto at = [&](int64_t column) { return PackedSum{to.bias ? to.bias + column : nullptr, to.beta}; };
  int64_t j = 0;
  if constexpr (kTileVectors == 2) {
    for (const int64_t width = 8 * lanes; m == 1 && j + width <= columns; j += width)
      PackedTile<1, 8>(k, left(0, 1), b + j, at(j), c + j, ldc, width);
    for (const int64_t width = 4 * lanes; m <= 2 && j + width <= columns; j += width)
      PackedTileOf<2, 4>(m, k, left(0, m), b + j, at(j), c + j, ldc, width);
  }
  const int64_t groups = (m + kTileRows - 1) / kTileRows;
  for (const int64_t width = kTileVectors * lanes; j < columns; j += width)
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t begin = m * g / groups, rows = m * (g + 1) / groups - begin;
      PackedTileOf<kTileRows, kTileVectors>(rows, k, left(begin, rows), b + j, at(j), c + begin * ldc + j,
                                            ldc, std::min(width, columns - j));
    }
}

// The rows of a tile side by side: copy[q * rows + r] = A[r, q].
HWY_INLINE void CopyTile(int64_t rows, int64_t k, const PackedLeft& left, float* HWY_RESTRICT copy) {
  const hn::CappedTag<float, 8> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t q = 0;
  if (left.row == 1 && lanes >= kTileRows) {  // what is copied too much is overwritten by what comes next
    const int64_t last = (k - 1) * left.col + rows;
    for (; q * left.col + lanes <= last && q * rows + lanes <= k * rows; ++q)
      hn::StoreU(hn::LoadU(d, left.a + q * left.col), d, copy + q * rows);
  }
  for (; q < k; ++q)
    for (int64_t r = 0; r < rows; ++r) copy[q * rows + r] = left.a[r * left.row + q * left.col];
}

// Room that GemmPacked wants for a copy of A.
HWY_INLINE int64_t PackedRoom(int64_t m, int64_t k) { return m * k; }

// Columns [begin, end) of m rows of the product, on this thread; begin is a multiple of kPanel. `room`: for a copy of A in the
// order in which it is read; null: it is read as it lies.
HWY_INLINE void GemmPacked(int64_t m, int64_t begin, int64_t end, int64_t k, const PackedLeft& a,
                           const float* packed, const PackedSum& to, float* c, int64_t ldc, float* room) {
  const int64_t groups = (m + kTileRows - 1) / kTileRows;
  if (room)
    for (int64_t p = 0; p < k; p += kStretch)
      for (int64_t q = p; q < std::min(k, p + kStretch); q += kCopied)
        for (int64_t g = 0; g < groups; ++g) {
          const int64_t first = m * g / groups, rows = m * (g + 1) / groups - first;
          const int64_t stretch = std::min(kStretch, k - p);
          CopyTile(rows, std::min(kCopied, p + stretch - q), {a.a + first * a.row + q * a.col, a.row, a.col},
                   room + p * m + first * stretch + (q - p) * rows);
        }
  for (int64_t j = begin; j < end; j += kPanel) {
    int64_t p = 0;
    do {
      const int64_t stretch = std::min(kStretch, k - p);
      const auto left = [&](int64_t first, int64_t rows) {
        return room ? PackedLeft{room + p * m + first * stretch, 1, rows}
                    : PackedLeft{a.a + first * a.row + p * a.col, a.row, a.col};
      };
      const float* bias = to.bias && p == 0 ? to.bias + j : nullptr;
      PackedPanel(m, stretch, left, packed + j * k + p * kPanel, {bias, p == 0 ? to.beta : 1.0f}, c + j, ldc,
                  std::min(kPanel, end - j));
      p += stretch;
    } while (p < k);
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
