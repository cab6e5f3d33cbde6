#include <algorithm>

#include "fovea/kernels/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/transpose_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One 4 x 4 square, in registers.
#if HWY_TARGET == HWY_SCALAR
void Square(const float* x, int64_t ldx, float* y, int64_t ldy) { ref::transpose(x, ldx, y, ldy, 4, 4); }
#else
HWY_INLINE void Square(const float* x, int64_t ldx, float* y, int64_t ldy) {
  const hn::Full128<float> d;
  const hn::Full128<double> pairs;
  const auto r0 = hn::LoadU(d, x), r1 = hn::LoadU(d, x + ldx);
  const auto r2 = hn::LoadU(d, x + 2 * ldx), r3 = hn::LoadU(d, x + 3 * ldx);
  const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));  // x00 x10 x01 x11
  const auto b = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));  // x20 x30 x21 x31
  const auto e = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));  // x02 x12 x03 x13
  const auto f = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, a, b)), d, y);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, a, b)), d, y + ldy);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, e, f)), d, y + 2 * ldy);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, e, f)), d, y + 3 * ldy);
}
#endif

void Transpose(const float* x, int64_t ldx, float* y, int64_t ldy, int64_t rows, int64_t cols) {
  constexpr int64_t kTile = 32;  // a tile of x and one of y lie in the first-level cache
  for (int64_t r0 = 0; r0 < rows; r0 += kTile) {
    for (int64_t c0 = 0; c0 < cols; c0 += kTile) {
      const int64_t r1 = std::min(rows, r0 + kTile), c1 = std::min(cols, c0 + kTile);
      const int64_t r_whole = r0 + (r1 - r0) / 4 * 4, c_whole = c0 + (c1 - c0) / 4 * 4;
      for (int64_t c = c0; c < c_whole; c += 4)
        for (int64_t r = r0; r < r_whole; r += 4) Square(x + r * ldx + c, ldx, y + c * ldy + r, ldy);
      ref::transpose(x + r_whole * ldx + c0, ldx, y + c0 * ldy + r_whole, ldy, r1 - r_whole, c_whole - c0);
      ref::transpose(x + r0 * ldx + c_whole, ldx, y + c_whole * ldy + r0, ldy, r1 - r0, c1 - c_whole);
    }
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(Transpose);

void transpose(const float* x, int64_t ldx, float* y, int64_t ldy, int64_t rows, int64_t cols) {
  HWY_DYNAMIC_DISPATCH(Transpose)(x, ldx, y, ldy, rows, cols);
}
}  // namespace fovea::kernels
#endif
