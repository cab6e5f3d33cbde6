// Small matrix products on data that lies in cache, the building block of the fused attention kernels:
//   C[r,c] = (C[r,c] if add) + sum_k A[r,k] B[k,c]        A[r,k] at a + r * a_row + k * a_col
// Columns go in pairs of vectors, so B and C rows must be readable (C writable) up to a multiple of Panel().
// Include it after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_TILE_INL_H_
#undef FOVEA_KERNELS_TILE_INL_H_
#else
#define FOVEA_KERNELS_TILE_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Columns of one register tile: two vectors.
HWY_INLINE int64_t Panel() { return static_cast<int64_t>(2 * hn::Lanes(hn::ScalableTag<float>())); }
HWY_INLINE int64_t RoundUpToPanel(int64_t n) { return (n + Panel() - 1) / Panel() * Panel(); }

// A register tile of kRows (1 to 6) rows and one panel of columns: with 16 vector registers, 12 hold C.
// kUnitRow: a_row is 1.
template <int kRows, bool kAdd, bool kUnitRow>
HWY_INLINE void Tile(const float* HWY_RESTRICT a, int64_t a_row, int64_t a_col, const float* HWY_RESTRICT b,
                     int64_t ldb, int64_t k, float* HWY_RESTRICT c, int64_t ldc) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const size_t n = hn::Lanes(d);
  const V zero = hn::Zero(d);
  V c00 = zero, c01 = zero, c10 = zero, c11 = zero, c20 = zero, c21 = zero;
  V c30 = zero, c31 = zero, c40 = zero, c41 = zero, c50 = zero, c51 = zero;
  if (kUnitRow) a_row = 1;
  const float* a3 = a + 3 * a_row;
  for (int64_t i = 0; i < k; ++i, b += ldb, a += a_col, a3 += a_col) {
    const V b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + n);
    const auto row = [&](const float* at, V& left, V& right) HWY_ATTR {
      const V x = hn::Set(d, *at);
      left = hn::MulAdd(x, b0, left);
      right = hn::MulAdd(x, b1, right);
    };
    row(a, c00, c01);
    if constexpr (kRows > 1) row(a + a_row, c10, c11);
    if constexpr (kRows > 2) row(a + 2 * a_row, c20, c21);
    if constexpr (kRows > 3) row(a3, c30, c31);
    if constexpr (kRows > 4) row(a3 + a_row, c40, c41);
    if constexpr (kRows > 5) row(a3 + 2 * a_row, c50, c51);
  }
  const auto store = [&](int64_t r, V left, V right) HWY_ATTR {
    float* at = c + r * ldc;
    if constexpr (kAdd) {
      left = hn::Add(left, hn::LoadU(d, at));
      right = hn::Add(right, hn::LoadU(d, at + n));
    }
    hn::StoreU(left, d, at);
    hn::StoreU(right, d, at + n);
  };
  store(0, c00, c01);
  if constexpr (kRows > 1) store(1, c10, c11);
  if constexpr (kRows > 2) store(2, c20, c21);
  if constexpr (kRows > 3) store(3, c30, c31);
  if constexpr (kRows > 4) store(4, c40, c41);
  if constexpr (kRows > 5) store(5, c50, c51);
}

template <bool kAdd, bool kUnitRow>
HWY_INLINE void TileOf(int64_t rows, const float* a, int64_t a_row, int64_t a_col, const float* b,
                       int64_t ldb, int64_t k, float* c, int64_t ldc) {
  switch (rows) {
    case 6:
      return Tile<6, kAdd, kUnitRow>(a, a_row, a_col, b, ldb, k, c, ldc);
    case 5:
      return Tile<5, kAdd, kUnitRow>(a, a_row, a_col, b, ldb, k, c, ldc);
    case 4:
      return Tile<4, kAdd, kUnitRow>(a, a_row, a_col, b, ldb, k, c, ldc);
    case 3:
      return Tile<3, kAdd, kUnitRow>(a, a_row, a_col, b, ldb, k, c, ldc);
    case 2:
      return Tile<2, kAdd, kUnitRow>(a, a_row, a_col, b, ldb, k, c, ldc);
    case 1:
      return Tile<1, kAdd, kUnitRow>(a, a_row, a_col, b, ldb, k, c, ldc);
    default:
      return;
  }
}

// The product for any number of rows and a number of columns that is a multiple of Panel(). Rows are shared
// out evenly, so that no register tile is much thinner than the others.
template <bool kAdd, bool kUnitRow>
void Product(int64_t rows, int64_t cols, int64_t k, const float* a, int64_t a_row, int64_t a_col,
             const float* b, int64_t ldb, float* c, int64_t ldc) {
  const int64_t groups = (rows + 5) / 6;
  for (int64_t col = 0; col < cols; col += Panel()) {
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t begin = rows * g / groups, end = rows * (g + 1) / groups;
      TileOf<kAdd, kUnitRow>(end - begin, a + begin * a_row, a_row, a_col, b + col, ldb, k,
                             c + begin * ldc + col, ldc);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// The part of Transpose that is whole blocks of 4 x 4.
HWY_INLINE void Transpose4x4(const float* from, int64_t row, int64_t rows, int64_t width, float scale,
                             float* to, int64_t ld) {
  const hn::Full128<float> d4;
  const hn::Full128<uint64_t> d2;
  using V = hn::Vec<decltype(d4)>;
  const V factor = hn::Set(d4, scale);
  const auto low = [&](V x, V y) HWY_ATTR {
    return hn::BitCast(d4, hn::InterleaveLower(d2, hn::BitCast(d2, x), hn::BitCast(d2, y)));
  };
  const auto high = [&](V x, V y) HWY_ATTR {
    return hn::BitCast(d4, hn::InterleaveUpper(d2, hn::BitCast(d2, x), hn::BitCast(d2, y)));
  };
  // Down the rows first: only four lines are written at a time, however far apart they lie.
  for (int64_t d = 0; d + 4 <= width; d += 4) {
    for (int64_t r = 0; r + 4 <= rows; r += 4) {
      const float* at = from + r * row;
      const V x0 = hn::Mul(factor, hn::LoadU(d4, at + d)), x1 = hn::Mul(factor, hn::LoadU(d4, at + row + d));
      const V x2 = hn::Mul(factor, hn::LoadU(d4, at + 2 * row + d)),
              x3 = hn::Mul(factor, hn::LoadU(d4, at + 3 * row + d));
      const V a01 = hn::InterleaveLower(d4, x0, x1), b01 = hn::InterleaveUpper(d4, x0, x1);
      const V a23 = hn::InterleaveLower(d4, x2, x3), b23 = hn::InterleaveUpper(d4, x2, x3);
      hn::StoreU(low(a01, a23), d4, to + d * ld + r);
      hn::StoreU(high(a01, a23), d4, to + (d + 1) * ld + r);
      hn::StoreU(low(b01, b23), d4, to + (d + 2) * ld + r);
      hn::StoreU(high(b01, b23), d4, to + (d + 3) * ld + r);
    }
  }
}
#endif

// to[d * ld + r] = scale * from[r * row + d] for r < rows, d < width.
HWY_INLINE void Transpose(const float* from, int64_t row, int64_t rows, int64_t width, float scale, float* to,
                          int64_t ld) {
#if HWY_TARGET == HWY_SCALAR
  const bool blocks = false;
#else
  const bool blocks = true;
  Transpose4x4(from, row, rows, width, scale, to, ld);
#endif
  for (int64_t d = 0; d < width; ++d)
    for (int64_t r = blocks && d < width / 4 * 4 ? rows / 4 * 4 : 0; r < rows; ++r)
      to[d * ld + r] = scale * from[r * row + d];
}

// As Transpose, with zeros for rows <= r < ld.
HWY_INLINE void PackTransposed(const float* from, int64_t row, int64_t rows, int64_t width, float scale,
                               float* to, int64_t ld) {
  Transpose(from, row, rows, width, scale, to, ld);
  for (int64_t d = 0; d < width && rows < ld; ++d)
    for (int64_t r = rows; r < ld; ++r) to[d * ld + r] = 0;
}

// to[r * ld + c] = from[r * row + c] for c < width, zero for width <= c < ld.
HWY_INLINE void PackRows(const float* from, int64_t row, int64_t rows, int64_t width, float* to, int64_t ld) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width; ++c) to[r * ld + c] = from[r * row + c];
    for (int64_t c = width; c < ld; ++c) to[r * ld + c] = 0;
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
