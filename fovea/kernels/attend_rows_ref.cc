#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fovea/kernels/attend_rows.h"

namespace fovea::kernels::ref {

void attend_rows(const AttendRows& a) {
  for (int64_t i = 0; i < a.queries; ++i) {
    const int32_t count = a.counts[i];
    for (int64_t h = 0; h < a.H; ++h) {
      const float* q = a.q + i * a.q_stride + h * a.D;
      const int64_t key = h / (a.H / a.G) * a.D, value = key + a.G * a.D;
      std::vector<double> e(static_cast<size_t>(count)), sum(static_cast<size_t>(a.D));
      double top = -std::numeric_limits<double>::infinity(), total = 0;
      for (int32_t t = 0; t < count; ++t) {
        for (int64_t c = 0; c < a.D; ++c) e[t] += static_cast<double>(q[c]) * a.rows[i][t][key + c];
        e[t] *= a.scale;
        top = std::max(top, e[t]);
      }
      for (double& x : e) total += x = std::exp(x - top);
      for (int32_t t = 0; t < count; ++t)
        for (int64_t c = 0; c < a.D; ++c) sum[c] += e[t] / total * a.rows[i][t][value + c];
      std::copy(sum.begin(), sum.end(), a.out + (i * a.H + h) * a.D);
      if (!a.weights) continue;
      float* w = a.weights + (i * a.H + h) * a.weights_stride;
      std::fill_n(w, a.weights_stride, 0.0f);
      for (int32_t t = 0; t < count; ++t) w[t] = static_cast<float>(e[t] / total);
    }
  }
}

}  // namespace fovea::kernels::ref
