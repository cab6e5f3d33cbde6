// The layers of an encoder or a decoder, one after the other.
#pragma once

#include <vector>

#include "fovea/run/layer.h"

namespace fovea::run {

class Stack {
 public:
  Stack() = default;
  // PREFIX0., PREFIX1., ...
  Stack(Weights& weights, const std::string& prefix, int64_t depth,
        const nn::TransformerLayerOptions& options, Precision precision);

  int64_t depth() const { return static_cast<int64_t>(layers_.size()); }
  const Layer& operator[](int64_t i) const { return layers_[static_cast<size_t>(i)]; }
  std::vector<CacheShape> self_shapes() const;
  std::vector<CacheShape> cross_shapes() const;
  Held held() const;

  struct Looking {
    const LookAt* at = nullptr;
    Site self = Site::kSelf;
    std::span<const int32_t> wanted = {};
    std::vector<Looked>* looked = nullptr;
  };
  // x [rows, width] becomes what the last layer makes of it.
  void operator()(const Tensor& x, const Ragged& ragged, const Stored& self, const Stored& cross,
                  const Looking& looking) const;

 private:
  std::vector<Layer> layers_;
};

// Rows [count] of x.
Tensor chosen_rows(const Tensor& x, std::span<const int32_t> rows);

}  // namespace fovea::run
