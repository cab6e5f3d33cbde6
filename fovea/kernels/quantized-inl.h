// The inner loops of products with 8-bit weights, on one thread: a tile of C stays in registers as 32-bit sums while k runs.
// Include it after "hwy/highway.h" in a file compiled once for each target.
#ifndef FOVEA_KERNELS_QUANTIZED_ROWS_
#define FOVEA_KERNELS_QUANTIZED_ROWS_

#include <cstdint>

namespace fovea::kernels {

// The rows of A in 16 bits lie in groups of at most kMost rows, as even as can be, each [k / 2, rows of the group, 2]: the inner
// loop reads one group from front to back.
struct QuantizedRows {
  static constexpr int64_t kMost = 12;
  int64_t m, k, pairs, groups;
  QuantizedRows(int64_t rows, int64_t columns)
      : m(rows), k(columns), pairs((columns + 1) / 2), groups((rows + kMost - 1) / kMost) {}
  int64_t begin(int64_t group) const { return m * group / groups; }
};

// What becomes of a sum: its factors, and what is added. `bias` may be null.
struct QuantizedSum {
  const float *units, *scales, *bias;
  float beta;
  QuantizedSum at(int64_t row, int64_t column) const {
    return {units + row, scales + column, bias ? bias + column : nullptr, beta};
  }
};

}  // namespace fovea::kernels
#endif

#if defined(FOVEA_KERNELS_QUANTIZED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_QUANTIZED_INL_H_
#undef FOVEA_KERNELS_QUANTIZED_INL_H_
#else
#define FOVEA_KERNELS_QUANTIZED_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <limits>

#include "fovea/kernels/quantized.h"
#include "fovea/kernels/tail-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Writes r[k], and a zero where k is odd; returns the unit. r has room for one vector more.
HWY_INLINE float QuantizeRow(int64_t k, const float* HWY_RESTRICT a, float levels, int16_t* HWY_RESTRICT r) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int16_t, decltype(d)> d16;
  // As integers the absolute values have the order of the numbers, then infinity, then NaN.
  auto most_bits = hn::Zero(di);
  ForVectors(d, k, [&](int64_t, auto load, auto) HWY_ATTR {
    most_bits = hn::Max(most_bits, hn::BitCast(di, hn::Abs(load(a))));
  });
  const float most = std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(di, most_bits)));
  const bool finite = most <= std::numeric_limits<float>::max();
  if (!finite || most < kQuantizedLeast) {
    std::fill_n(r, k + k % 2, int16_t{0});
    return finite ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  }
  const auto to_levels = hn::Set(d, levels / most);
  ForVectors(d, k, [&](int64_t i, auto load, auto) HWY_ATTR {
    const auto level = hn::DemoteTo(d16, hn::NearestInt(hn::Mul(load(a), to_levels)));
    hn::StoreU(level, d16, r + i);
  });
  if (k % 2 == 1) r[k] = 0;
  return most / levels;
}

// Element [r, at...) of C from its sum. Products and sums are each rounded, never fused: that is the same on every target.
template <class V, class Load, class Store>
HWY_INLINE void QuantizedStore(V sum, int64_t r, int64_t at, const QuantizedSum& to, float* c, int64_t ldc,
                               Load&& load, Store&& store) {
  const hn::ScalableTag<float> d;
  auto y = hn::Mul(hn::ConvertTo(d, sum), hn::LoadU(d, to.scales + at));
  y = hn::Mul(y, hn::Set(d, to.units[r]));
  if (to.bias) y = hn::Add(y, load(to.bias + at));
  if (to.beta != 0) y = hn::Add(y, hn::Mul(hn::Set(d, to.beta), load(c + r * ldc + at)));
  store(y, c + r * ldc + at);
}

// Weights are asked for a page before they are used: the hardware's own prefetching stops at the end of each.
constexpr int64_t kAhead = 4096;

// One tile of C: kRows rows, whose pairs of elements are `stride` apart from one k to the next, by `columns` columns of a panel.
template <int kRows, int kVectors>
HWY_INLINE void QuantizedTile(int64_t pairs, const int32_t* HWY_RESTRICT a, int64_t stride,
                              const int8_t* HWY_RESTRICT w, const QuantizedSum& to, float* HWY_RESTRICT c,
                              int64_t ldc, int64_t columns) {
  const hn::ScalableTag<float> df;
  const hn::ScalableTag<int32_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum[kRows][kVectors];
  for (auto& s : sum)
    for (V& x : s) x = hn::Zero(d);
#if HWY_TARGET == HWY_SCALAR  // where a vector has no room for a pair
  for (int64_t p = 0; p < pairs; ++p, a += stride, w += 2 * kQuantizedPanel)
    for (int r = 0; r < kRows; ++r) {
      const int32_t first = static_cast<int16_t>(a[r]), second = a[r] >> 16;
      for (int v = 0; v < kVectors; ++v) sum[r][v].raw += first * w[2 * v] + second * w[2 * v + 1];
    }
#else
  const hn::Repartition<int16_t, decltype(d)> d16;
  const hn::Rebind<int8_t, decltype(d16)> d8;
  V rest[kRows][kVectors];  // x86 leaves it alone
  for (auto& s : rest)
    for (V& x : s) x = hn::Zero(d);
  for (int64_t p = 0; p < pairs; ++p, a += stride, w += 2 * kQuantizedPanel) {
    hwy::Prefetch(w + kAhead);
    hn::Vec<decltype(d16)> right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::PromoteTo(d16, hn::LoadU(d8, w + 2 * v * lanes));
    for (int r = 0; r < kRows; ++r) {
      const auto left = hn::BitCast(d16, hn::Set(d, a[r]));
      for (int v = 0; v < kVectors; ++v)
        sum[r][v] = hn::ReorderWidenMulAccumulate(d, left, right[v], sum[r][v], rest[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::RearrangeToOddPlusEven(sum[r][v], rest[r][v]);
#endif
  for (int v = 0; v < kVectors; ++v) {
    const int64_t at = v * lanes, left = columns - at;
    for (int r = 0; r < kRows; ++r) {
      if (left >= lanes)
        QuantizedStore(
            sum[r][v], r, at, to, c, ldc, [&](const float* x) HWY_ATTR { return hn::LoadU(df, x); },
            [&](auto y, float* x) HWY_ATTR { hn::StoreU(y, df, x); });
      else if (left > 0)
        QuantizedStore(
            sum[r][v], r, at, to, c, ldc, [&](const float* x) HWY_ATTR { return LoadTail(df, x, left); },
            [&](auto y, float* x) HWY_ATTR { StoreTail(df, y, x, left); });
    }
  }
}

// The columns of a panel for at most kRows rows.
template <int kRows, int kVectors>
HWY_INLINE void QuantizedTiles(int64_t rows, int64_t pairs, const int32_t* a, int64_t stride, const int8_t* w,
                               const QuantizedSum& to, float* c, int64_t ldc, int64_t columns) {
  if (rows == kRows) {
    const int64_t width = kVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<int32_t>()));
    for (int64_t j = 0; j < columns; j += width)
      QuantizedTile<kRows, kVectors>(pairs, a, stride, w + 2 * j, to.at(0, j), c + j, ldc, columns - j);
  } else if constexpr (kRows > 1) {
    QuantizedTiles<kRows - 1, kVectors>(rows, pairs, a, stride, w, to, c, ldc, columns);
  }
}

// A group of rows by the columns of a panel. Sums, a row of weights and an element of A fill the registers.
HWY_INLINE void QuantizedPanelRows(int64_t rows, int64_t pairs, const int32_t* a, const int8_t* w,
                                   const QuantizedSum& to, float* c, int64_t ldc, int64_t columns) {
#if HWY_TARGET <= HWY_AVX3
  QuantizedTiles<QuantizedRows::kMost, 2>(rows, pairs, a, rows, w, to, c, ldc, columns);  // of 32 registers
#else
  if (rows <= 3) return QuantizedTiles<3, 4>(rows, pairs, a, rows, w, to, c, ldc, columns);  // of 16
  constexpr int kMost = QuantizedRows::kMost / 2;
  const int64_t first = rows > kMost ? rows / 2 : rows;
  QuantizedTiles<kMost, 2>(first, pairs, a, rows, w, to, c, ldc, columns);
  if (first < rows)
    QuantizedTiles<kMost, 2>(rows - first, pairs, a + first, rows, w, to.at(first, 0), c + first * ldc, ldc,
                             columns);
#endif
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
