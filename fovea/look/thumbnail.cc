#include "fovea/look/thumbnail.h"

#include <algorithm>
#include <cmath>

namespace fovea::look {

ThumbnailSize thumbnail_size(const Stack& stack, int longest) {
  const int64_t t = stack.weights.dim(2), s = stack.weights.dim(3), side = std::max(t, s);
  if (side <= longest) return {static_cast<int>(s), static_cast<int>(t)};
  const auto shrunk = [&](int64_t n) {
    const double share = static_cast<double>(n) / static_cast<double>(side);
    return std::max(1, static_cast<int>(std::lround(share * longest)));
  };
  return {shrunk(s), shrunk(t)};
}

Thumbnail thumbnail(const Stack& stack, int layer, int head, int longest) {
  const auto [width, height] = thumbnail_size(stack, longest);
  const int64_t t = stack.weights.dim(2), s = stack.weights.dim(3);
  const float* w = stack.weights.data<float>() + (int64_t{layer} * stack.breadth() + head) * stack.cells();
  Thumbnail out{width, height, std::vector<float>(static_cast<size_t>(width) * static_cast<size_t>(height)),
                0, 0};
  std::vector<float> count(out.weights.size(), 0);
  std::vector<bool> free(static_cast<size_t>(height), false);  // rows of pixels with a row that had a choice
  for (int64_t row = 0; row < t; ++row) {
    int64_t seen = 0;
    for (int64_t column = 0; column < s; ++column, ++w) {
      const auto at = static_cast<size_t>((row * height / t) * width + column * width / s);
      out.weights[at] += *w;
      ++count[at];
      seen += *w > 0;
      out.largest = std::max(out.largest, *w);
    }
    if (seen > 1) free[static_cast<size_t>(row * height / t)] = true;
  }
  const bool none = std::find(free.begin(), free.end(), true) == free.end();
  for (size_t i = 0; i < count.size(); ++i) {
    out.weights[i] /= count[i];
    if (none || free[i / static_cast<size_t>(width)]) out.most = std::max(out.most, out.weights[i]);
  }
  return out;
}

}  // namespace fovea::look
