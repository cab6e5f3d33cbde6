#include "fovea/look/rollout.h"

#include "fovea/base/error.h"

namespace fovea::look {

// One row needs no products of matrices: e_token passes through the layers from the last to the first.
Tensor rollout(const std::vector<Tensor>& layers, int64_t token) {
  check(!layers.empty(), "rollout", "there are no layers");
  const int64_t T = layers.front().dim(-1);
  for (const Tensor& layer : layers)
    check(layer.rank() == 3 && layer.dim(0) > 0 && layer.dim(1) == T && layer.dim(2) == T, "rollout",
          "weights of shape {}: expected [H, {}, {}]", layer.shape().str(), T, T);
  check(token >= 0 && token < T, "rollout", "token {} of {}", token, T);
  Tensor out = Tensor::empty({static_cast<int64_t>(layers.size()), T});
  const auto n = static_cast<size_t>(T);
  for (size_t top = 0; top < layers.size(); ++top) {
    std::vector<double> row(n), next(n);
    row[static_cast<size_t>(token)] = 1;
    for (size_t l = top + 1; l-- > 0;) {
      const float* weights = layers[l].data<float>();
      const auto heads = static_cast<size_t>(layers[l].dim(0));
      for (size_t k = 0; k < n; ++k) next[k] = row[k] / 2;
      for (size_t h = 0; h < heads; ++h)
        for (size_t q = 0; q < n; ++q) {
          const double share = row[q] / (2 * static_cast<double>(heads));
          if (share == 0) continue;
          const float* keys = weights + (h * n + q) * n;
          for (size_t k = 0; k < n; ++k) next[k] += share * static_cast<double>(keys[k]);
        }
      row.swap(next);
    }
    for (size_t k = 0; k < n; ++k) out.data<float>()[top * n + k] = static_cast<float>(row[k]);
  }
  return out;
}

}  // namespace fovea::look
