#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/scratch.h"
#include "fovea/kernels/quantized.h"

namespace fovea::kernels::ref {
namespace {

// Writes r[k] and returns the unit.
float quantize(int64_t k, const float* a, float levels, int16_t* r) {
  float most = 0;
  bool finite = true;
  for (int64_t p = 0; p < k; ++p) {
    most = std::max(most, std::abs(a[p]));
    finite = finite && std::isfinite(a[p]);
  }
  const bool zero = !finite || most < kQuantizedLeast;
  for (int64_t p = 0; p < k; ++p)
    r[p] = zero ? int16_t{0} : static_cast<int16_t>(std::nearbyint(a[p] * (levels / most)));
  if (!finite) return std::numeric_limits<float>::quiet_NaN();
  return zero ? 0 : most / levels;
}

}  // namespace

void gemm_quantized(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const int8_t* packed,
                    const float* bias, float beta, float* c, int64_t ldc) {
  const QuantizedLayout layout(n, k);
  const float levels = *reinterpret_cast<const float*>(packed);
  const auto* scales = reinterpret_cast<const float*>(packed + QuantizedLayout::scales());
  Scratch scratch;
  auto* r = scratch.take<int16_t>(k);
  for (int64_t i = 0; i < m; ++i) {
    const float unit = quantize(k, a + i * lda, levels, r);
    for (int64_t j = 0; j < n; ++j) {
      const int8_t* row = packed + layout.panel(j / kQuantizedPanel) + 2 * (j % kQuantizedPanel);
      int32_t sum = 0;  // the sanitizers see it overflow, if it does
      for (int64_t p = 0; p < k; ++p) sum += int32_t{r[p]} * row[p / 2 * 2 * kQuantizedPanel + p % 2];
      float y = static_cast<float>(sum) * scales[j] * unit;
      if (bias) y += bias[j];
      if (beta != 0) y += beta * c[i * ldc + j];
      c[i * ldc + j] = y;
    }
  }
}

}  // namespace fovea::kernels::ref
