// Arrays of the public interface and the engine's tensors: neither is copied.
#pragma once

#include "fovea/fovea.h"
#include "fovea/tensor/tensor.h"

namespace fovea::library {

inline Shape shape_of(const std::vector<int64_t>& sizes) {
  Shape shape;
  for (const int64_t size : sizes) shape.push_back(size);
  return shape;
}

// The tensor's numbers, which nobody writes any more.
inline Array array_of(const Tensor& tensor) {
  auto owner = std::make_shared<Tensor>(tensor);
  const float* numbers = owner->data<float>();
  return {{tensor.shape().begin(), tensor.shape().end()}, {std::move(owner), numbers}};
}

// Undefined where nothing is given. Whoever holds the numbers keeps them while the tensor is used.
inline Tensor tensor_of(const ArrayView& view, std::string_view name) {
  if (!view.data && view.shape.empty()) return {};
  const Shape shape = shape_of(view.shape);
  check(view.data || shape.size() == 0, "attend", "{} of shape {} has no data", name, shape.str());
  return view.data ? Tensor::wrap(view.data, shape, nullptr) : Tensor::empty(shape);
}

}  // namespace fovea::library
