// The inner loops of convolutions, on one thread: a tile of sums stays in registers while their terms run by.
// Include it after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_SLIDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_SLIDING_INL_H_
#undef FOVEA_KERNELS_SLIDING_INL_H_
#else
#define FOVEA_KERNELS_SLIDING_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "fovea/kernels/sliding_panels.h"
#include "fovea/kernels/tail-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
constexpr int kMostVectors = 4;               // of a panel
constexpr int kRowsOf[] = {0, 12, 10, 8, 6};  // of a tile with so many vectors, in 32 registers
#else
constexpr int kMostVectors = 2;
constexpr int kRowsOf[] = {0, 10, 6};  // in 16
#endif

constexpr int64_t kAhead =
    8;  // rows of a panel, which comes from the second-level cache, between its loading and its use

using SlidingVec = hn::Vec<hn::ScalableTag<float>>;

// A row of a panel, in variables of their own: in an array of two, the compiler kept one of them in memory.
template <int kVectors>
struct PanelRow {
  SlidingVec v0, v1, v2, v3;

  HWY_INLINE explicit PanelRow(const float* b) {
    const hn::ScalableTag<float> d;
    const size_t lanes = hn::Lanes(d);
    v0 = hn::Load(d, b);
    if constexpr (kVectors > 1) v1 = hn::Load(d, b + lanes);
    if constexpr (kVectors > 2) v2 = hn::Load(d, b + 2 * lanes);
    if constexpr (kVectors > 3) v3 = hn::Load(d, b + 3 * lanes);
  }
  // sum += x times the row
  HWY_INLINE void AddTo(SlidingVec* sum, float scalar) const {
    const SlidingVec x = hn::Set(hn::ScalableTag<float>(), scalar);
    sum[0] = hn::MulAdd(x, v0, sum[0]);
    if constexpr (kVectors > 1) sum[1] = hn::MulAdd(x, v1, sum[1]);
    if constexpr (kVectors > 2) sum[2] = hn::MulAdd(x, v2, sum[2]);
    if constexpr (kVectors > 3) sum[3] = hn::MulAdd(x, v3, sum[3]);
  }
};

// What is added to a sum: bias + beta to. `bias` may be null. Given by its address: a number in a register would cost the loop one.
struct TileSum {
  const float* bias;
  float beta;
};

// Tiles are functions of their own: inlined side by side, they made the compiler keep vectors of the loop in memory.
//
// kRows positions by kVectors vectors of output channels: to[r] = bias + beta to[r] + sum of a[r][..] b[..].
template <int kRows, int kVectors>
HWY_NOINLINE void ProductTile(const PanelProduct& p, int64_t first, const Piece* pieces, int64_t piece_count,
                              const float* HWY_RESTRICT b, const TileSum& added) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float* HWY_RESTRICT to[kRows];
  for (int r = 0; r < kRows; ++r) to[r] = p.to + p.at[first + r];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) hwy::Prefetch(to[r] + v * lanes);
  SlidingVec sum[kRows][kVectors];
  for (auto& s : sum)
    for (SlidingVec& x : s) x = hn::Zero(d);
  const float* HWY_RESTRICT a[kRows];
  for (int r = 0; r < kRows; ++r) a[r] = p.source + p.from[first + r];
  for (const Piece* end = pieces + piece_count; pieces < end; ++pieces) {
    const int64_t past = pieces->offset + pieces->length;
    for (int64_t k = pieces->offset; k < past; ++k, b += kVectors * lanes) {
      const PanelRow<kVectors> row(b);
      for (int v = 0; v < kVectors; ++v) hwy::Prefetch(b + (kAhead * kVectors + v) * lanes);
      for (int r = 0; r < kRows; ++r) row.AddTo(sum[r], a[r][k]);
    }
  }
  if (p.columns == kVectors * lanes) {
    if (added.bias)
      for (int v = 0; v < kVectors; ++v) {
        const SlidingVec bias = hn::LoadU(d, added.bias + v * lanes);
        for (int r = 0; r < kRows; ++r) sum[r][v] = hn::Add(sum[r][v], bias);
      }
    if (added.beta != 0) {
      const SlidingVec scale = hn::Set(d, added.beta);
      for (int r = 0; r < kRows; ++r)
        for (int v = 0; v < kVectors; ++v)
          sum[r][v] = hn::MulAdd(scale, hn::LoadU(d, to[r] + v * lanes), sum[r][v]);
    }
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], d, to[r] + v * lanes);
    return;
  }
  // The last columns: the same by way of memory, since vectors in registers cannot be counted.
  HWY_ALIGN float whole[kRows][kVectors * hn::MaxLanes(d)];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, whole[r] + v * lanes);
  for (int r = 0; r < kRows; ++r) {
    const SlidingVec scale = hn::Set(d, added.beta);
    ForVectors(d, std::min(p.columns, kVectors * lanes), [&](int64_t at, auto load, auto store) HWY_ATTR {
      SlidingVec y = hn::Load(d, whole[r] + at);
      if (added.bias) y = hn::Add(y, load(added.bias));
      if (added.beta != 0) y = hn::MulAdd(scale, load(to[r]), y);
      store(y, to[r]);
    });
  }
}

template <int kRows, int kVectors>
HWY_INLINE void ProductTileOf(int64_t rows, const PanelProduct& p, int64_t first, const Piece* pieces,
                              int64_t piece_count, const float* b, const TileSum& added) {
  if (rows == kRows) return ProductTile<kRows, kVectors>(p, first, pieces, piece_count, b, added);
  if constexpr (kRows > 1) ProductTileOf<kRows - 1, kVectors>(rows, p, first, pieces, piece_count, b, added);
}

// Terms run in stretches whose part of the panel stays in the second-level cache while the positions pass over it.
template <int kVectors>
HWY_NOINLINE void ProductPanel(const PanelProduct& p) {
  constexpr int kRows = kRowsOf[kVectors];
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  const int64_t tiles = (p.pixels + kRows - 1) / kRows;
  const float* b = p.packed;
  for (int64_t begin = 0, end = 0; begin < p.piece_count; begin = end) {
    int64_t terms = 0;
    for (; end < p.piece_count && (terms == 0 || terms + p.pieces[end].length <= kStretchTerms); ++end)
      terms += p.pieces[end].length;
    const TileSum added = begin == 0 ? TileSum{p.bias, p.beta} : TileSum{nullptr, 1.0f};
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t first = p.pixels * t / tiles, rows = p.pixels * (t + 1) / tiles - first;
      ProductTileOf<kRows, kVectors>(rows, p, first, p.pieces + begin, end - begin, b, added);
    }
    b += terms * kVectors * lanes;
  }
}

// kRows terms (places of the window) by kVectors vectors of output channels, summed over positions:
// to[r] = sum of a[from[i] + r] b[i], added to what is there unless it is the first.
template <int kRows, int kVectors>
HWY_NOINLINE void WeightTile(const PanelWeights& p, const float* HWY_RESTRICT a, float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  SlidingVec sum[kRows][kVectors];
  for (auto& s : sum)
    for (SlidingVec& x : s) x = hn::Zero(d);
  const float* HWY_RESTRICT b = p.dy;
  const int64_t* HWY_RESTRICT from = p.from;
  for (int64_t i = 0; i < p.pixels; ++i, b += kVectors * lanes) {
    const float* HWY_RESTRICT terms = a + from[i];
    const PanelRow<kVectors> row(b);
    for (int r = 0; r < kRows; ++r) row.AddTo(sum[r], terms[r]);
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) {
      float* at = to + (r * kVectors + v) * lanes;
      hn::Store(p.is_first ? sum[r][v] : hn::Add(hn::Load(d, at), sum[r][v]), d, at);
    }
}

template <int kRows, int kVectors>
HWY_INLINE void WeightTileOf(int64_t rows, const PanelWeights& p, const float* a, float* to) {
  if (rows == kRows) return WeightTile<kRows, kVectors>(p, a, to);
  if constexpr (kRows > 1) WeightTileOf<kRows - 1, kVectors>(rows, p, a, to);
}

template <int kVectors>
HWY_NOINLINE void WeightPanel(const PanelWeights& p) {
  constexpr int kRows = kRowsOf[kVectors];
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  float* to = p.to;
  for (int64_t piece = 0; piece < p.piece_count; ++piece) {
    const auto& [offset, length] = p.pieces[piece];
    const int64_t tiles = (length + kRows - 1) / kRows;
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t first = length * t / tiles, rows = length * (t + 1) / tiles - first;
      WeightTileOf<kRows, kVectors>(rows, p, p.source + offset + first, to + first * kVectors * lanes);
    }
    to += length * kVectors * lanes;
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
