#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fovea/kernels/top_k.h"

namespace fovea::kernels::ref {

void top_k_log_softmax(const float* x, int64_t rows, int64_t cols, int64_t k, std::span<const int32_t> hidden,
                       int32_t* ids, float* log_probs) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  for (int64_t r = 0; r < rows; ++r, x += cols, ids += k, log_probs += k) {
    std::fill_n(ids, k, -1);
    std::fill_n(log_probs, k, kNone);
    double max = kNone, sum = 0;
    for (int64_t c = 0; c < cols; ++c) max = std::max<double>(max, x[c]);
    for (int64_t c = 0; c < cols; ++c) sum += std::exp(x[c] - max);
    if (!std::isfinite(sum)) continue;
    std::vector<int32_t> order;
    for (int32_t c = 0; c < cols; ++c)
      if (x[c] != kNone && std::find(hidden.begin(), hidden.end(), c) == hidden.end()) order.push_back(c);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return x[a] > x[b]; });
    for (size_t j = 0; j < std::min(order.size(), static_cast<size_t>(k)); ++j) {
      ids[j] = order[j];
      log_probs[j] = static_cast<float>(x[order[j]] - max - std::log(sum));
    }
  }
}

}  // namespace fovea::kernels::ref
