#include "fovea/decode/looks.h"

#include <algorithm>

namespace fovea::decode {

run::Looked join_looks(std::span<const run::Looked> steps) {
  run::Looked all;
  if (steps.empty()) return all;
  for (size_t i = 0; i < steps.front().size(); ++i) {
    const run::Seen& first = steps.front()[i];
    const int64_t heads = first.weights.dim(0);
    int64_t rows = 0, keys = 0;
    for (const run::Looked& step : steps) {
      rows += step[i].weights.dim(1);
      keys = std::max(keys, step[i].weights.dim(2));
    }
    Tensor weights = Tensor::zeros({heads, rows, keys});
    int64_t row = 0;
    for (const run::Looked& step : steps) {
      const Tensor& part = step[i].weights;
      const int64_t count = part.dim(1), width = part.dim(2);
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t r = 0; r < count; ++r)
          std::copy_n(part.data<float>() + (h * count + r) * width, width,
                      weights.data<float>() + (h * rows + row + r) * keys);
      row += count;
    }
    all.push_back({first.site, first.layer, std::move(weights)});
  }
  return all;
}

Tensor last_layer(const run::Looked& looked, run::Site site) {
  const run::Seen* last = nullptr;
  for (const run::Seen& seen : looked)
    if (seen.site == site && (!last || seen.layer > last->layer)) last = &seen;
  return last ? last->weights : Tensor();
}

}  // namespace fovea::decode
