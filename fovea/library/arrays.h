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

// Undefined where the view has no data. Whoever holds the numbers keeps them while the tensor is used.
inline Tensor tensor_of(const ArrayView& view) {
  return view.data ? Tensor::wrap(view.data, shape_of(view.shape), nullptr) : Tensor();
}
inline Tensor tensor_of(const Array& array) {
  return array.empty() ? Tensor() : Tensor::wrap(array.data(), shape_of(array.shape()), array.shared());
}

}  // namespace fovea::library
