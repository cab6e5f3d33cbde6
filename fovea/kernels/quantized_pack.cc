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

// Returns the scale.
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

// Rows [0, rows) of q, at most kQuantizedPanel, as one panel. Returns the largest sum of a row's absolute values.
int64_t pack_panel(int64_t rows, int64_t k, const int8_t* q, int8_t* panel) {
  if (rows < kQuantizedPanel || k % 2 == 1) std::memset(panel, 0, QuantizedLayout(rows, k).panel_bytes);
  int64_t most = 0;
  for (int64_t j = 0; j < rows; ++j) {
    const int8_t* row = q + j * k;
    int64_t sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      panel[p / 2 * 2 * kQuantizedPanel + 2 * j + p % 2] = row[p];
      sum += std::abs(int{row[p]});
    }
    most = std::max(most, sum);
  }
  return most;
}

// Packs panels on all threads. rows(first, count, scratch, scale) gives the integers of rows [first, first + count) of W and
// writes their scales.
template <typename Rows>
void pack_panels(int64_t n, int64_t k, int8_t* packed, Rows&& rows) {
  check(k <= kMostColumns, "quantize", "{} columns: 8-bit products have at most {}", k, kMostColumns);
  const QuantizedLayout layout(n, k);
  auto* levels = reinterpret_cast<float*>(packed);
  auto* scales = reinterpret_cast<float*>(packed + QuantizedLayout::scales());
  std::memset(packed, 0, static_cast<size_t>(layout.panel(0)));
  Scratch scratch;
  auto* sums = scratch.take<int64_t>(layout.panels);
  parallel_for(layout.panels, [&](int64_t i) {
    Scratch of_panel;
    const int64_t first = i * kQuantizedPanel, count = std::min(kQuantizedPanel, n - first);
    const int8_t* q = rows(first, count, of_panel, scales + first);
    sums[i] = pack_panel(count, k, q, packed + layout.panel(i));
  });
  int64_t most = 1;
  for (int64_t i = 0; i < layout.panels; ++i) most = std::max(most, sums[i]);
  constexpr int64_t kMostLevels = std::numeric_limits<int16_t>::max();
  *levels = static_cast<float>(std::min<int64_t>(kMostLevels, std::numeric_limits<int32_t>::max() / most));
}

}  // namespace

void quantize_rows(int64_t n, int64_t k, const float* w, int64_t ldw, int8_t* q, float* scale) {
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, k));
  parallel_ranges(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) scale[j] = quantize_row(k, w + j * ldw, q + j * k);
  });
}

void pack_quantized(int64_t n, int64_t k, const int8_t* q, const float* scale, int8_t* packed) {
  pack_panels(n, k, packed, [&](int64_t first, int64_t count, Scratch&, float* to) {
    std::copy_n(scale + first, count, to);
    return q + first * k;
  });
}

void pack_quantized(int64_t n, int64_t k, const float* w, int64_t ldw, int8_t* packed) {
  pack_panels(n, k, packed, [&](int64_t first, int64_t count, Scratch& scratch, float* to) {
    auto* q = scratch.take<int8_t>(count * k);
    for (int64_t j = 0; j < count; ++j) to[j] = quantize_row(k, w + (first + j) * ldw, q + j * k);
    return q;
  });
}

}  // namespace fovea::kernels
