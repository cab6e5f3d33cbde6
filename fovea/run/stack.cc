#include "fovea/run/stack.h"

#include <fmt/format.h>
#include <algorithm>

namespace fovea::run {

Stack::Stack(Weights& weights, const std::string& prefix, int64_t depth,
             const nn::TransformerLayerOptions& options, Precision precision) {
  for (int64_t i = 0; i < depth; ++i)
    layers_.emplace_back(weights, fmt::format("{}{}.", prefix, i), options, precision);
}

std::vector<CacheShape> Stack::self_shapes() const {
  std::vector<CacheShape> shapes;
  for (const Layer& layer : layers_) shapes.push_back(layer.self().cache_shape());
  return shapes;
}

std::vector<CacheShape> Stack::cross_shapes() const {
  std::vector<CacheShape> shapes;
  for (const Layer& layer : layers_) shapes.push_back(layer.cross().cache_shape());
  return shapes;
}

Held Stack::held() const {
  Held held;
  for (const Layer& layer : layers_) held += layer.held();
  return held;
}

void Stack::operator()(const Tensor& x, const Ragged& ragged, const Stored& self, const Stored& cross,
                       const Looking& looking) const {
  for (int64_t i = 0; i < depth(); ++i) {
    const Watch watch{.at = looking.at,
                      .site = looking.self,
                      .layer = i,
                      .depth = depth(),
                      .wanted = looking.wanted,
                      .looked = looking.looked};
    Watch watch_cross = watch;
    watch_cross.site = Site::kCross;
    layers_[static_cast<size_t>(i)](x, i, ragged, self, cross, watch, watch_cross);
  }
}

Tensor chosen_rows(const Tensor& x, std::span<const int32_t> rows) {
  const int64_t width = x.dim(1);
  Tensor some = Tensor::empty({static_cast<int64_t>(rows.size()), width});
  float* to = some.data<float>();
  for (const int32_t row : rows) to = std::copy_n(x.data<float>() + row * width, width, to);
  return some;
}

}  // namespace fovea::run
