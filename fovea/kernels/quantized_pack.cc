#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/quantized.h"

namespace fovea::kernels {
namespace {

constexpr int64_t kMostColumns = 1 << 20;  // where a row of A still has 16 levels

// Rows [0, rows) of q, at most kQuantizedPanel, as one panel of pairs. Returns the largest sum of a row's absolute values.
int64_t pack_panel(int64_t rows, int64_t k, const int8_t* q, int8_t* panel) {
  if (rows < kQuantizedPanel || k % 2 == 1) std::memset(panel, 0, QuantizedLayout(rows, k).panel_bytes);
  constexpr int64_t kPairs = 32;  // columns of pairs at a time: their part of the panel stays in the cache
  const int64_t pairs = k / 2;
  for (int64_t begin = 0; begin < pairs; begin += kPairs) {
    const int64_t end = std::min(pairs, begin + kPairs);
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t p = begin; p < end; ++p)
        std::memcpy(panel + 2 * (p * kQuantizedPanel + j), q + j * k + 2 * p, 2);
  }
  int64_t most = 0;
  for (int64_t j = 0; j < rows; ++j) {
    const int8_t* row = q + j * k;
    if (k % 2 == 1) panel[(k - 1) * kQuantizedPanel + 2 * j] = row[k - 1];
    int64_t sum = 0;
    for (int64_t begin = 0; begin < k; begin += 4096) {  // sums of 32 bits are added by vectors
      int32_t part = 0;
      for (int64_t p = begin; p < std::min(k, begin + 4096); ++p)
        part += row[p] < 0 ? -int32_t{row[p]} : int32_t{row[p]};
      sum += part;
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

float quantize_row(int64_t k, const float* w, int8_t* q) {
  constexpr float kLevels = 127;
  float most = 0;
  bool finite = true;
  for (int64_t p = 0; p < k; ++p) {
    most = std::max(most, std::abs(w[p]));
    finite = finite && std::isfinite(w[p]);
  }
  if (!finite || most < kQuantizedLeast) {
    std::fill_n(q, k, int8_t{0});
    return finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  const float to_levels = kLevels / most;
  for (int64_t p = 0; p < k; ++p) q[p] = static_cast<int8_t>(std::nearbyint(w[p] * to_levels));
  return most / kLevels;
}

QuantizedPacker::QuantizedPacker(int64_t n, int64_t k, int8_t* packed)
    : n_(n), k_(k), layout_(n, k), packed_(packed) {
  check(k <= kMostColumns, "quantize", "{} columns: 8-bit products have at most {}", k, kMostColumns);
  std::memset(packed, 0, static_cast<size_t>(layout_.panel(0)));
}

void QuantizedPacker::pack(int64_t panel, const int8_t* q, const float* scale) {
  const int64_t first = panel * kQuantizedPanel, count = std::min(kQuantizedPanel, n_ - first);
  std::copy_n(scale, count, reinterpret_cast<float*>(packed_ + QuantizedLayout::scales()) + first);
  const int64_t sum = pack_panel(count, k_, q, packed_ + layout_.panel(panel));
  int64_t known = largest_.load(std::memory_order_relaxed);
  while (known < sum && !largest_.compare_exchange_weak(known, sum, std::memory_order_relaxed)) {
  }
}

void QuantizedPacker::finish() {
  constexpr int64_t kMostLevels = std::numeric_limits<int16_t>::max();
  const int64_t levels = std::numeric_limits<int32_t>::max() / largest_.load(std::memory_order_relaxed);
  *reinterpret_cast<float*>(packed_) = static_cast<float>(std::min(kMostLevels, levels));
}

void quantize_rows(int64_t n, int64_t k, const float* w, int64_t ldw, int8_t* q, float* scale) {
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, k));
  parallel_ranges(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) scale[j] = quantize_row(k, w + j * ldw, q + j * k);
  });
}

void pack_quantized(int64_t n, int64_t k, const int8_t* q, const float* scale, int8_t* packed) {
  QuantizedPacker packer(n, k, packed);
  parallel_for(packer.panels(),
               [&](int64_t i) { packer.pack(i, q + i * kQuantizedPanel * k, scale + i * kQuantizedPanel); });
  packer.finish();
}

void pack_quantized(int64_t n, int64_t k, const float* w, int64_t ldw, int8_t* packed) {
  QuantizedPacker packer(n, k, packed);
  parallel_for(packer.panels(), [&](int64_t i) {
    Scratch scratch;
    const int64_t first = i * kQuantizedPanel, count = std::min(kQuantizedPanel, n - first);
    auto* q = scratch.take<int8_t>(count * k);
    float scale[kQuantizedPanel];
    for (int64_t j = 0; j < count; ++j) scale[j] = quantize_row(k, w + (first + j) * ldw, q + j * k);
    packer.pack(i, q, scale);
  });
  packer.finish();
}

}  // namespace fovea::kernels
