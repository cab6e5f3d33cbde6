// A tensor: contiguous, row-major elements in shared storage. Copying a Tensor copies the handle, not the elements;
// reshape and slice are views of the same storage. Constness is that of the handle.
#pragma once

#include <span>
#include <vector>

#include "fovea/tensor/dtype.h"
#include "fovea/tensor/shape.h"
#include "fovea/tensor/storage.h"

namespace fovea {

class Tensor {
 public:
  // An undefined tensor: defined() is false, and it holds nothing.
  Tensor() = default;

  // Elements are not initialised.
  static Tensor empty(const Shape& shape, DType type = DType::kF32);
  static Tensor zeros(const Shape& shape, DType type = DType::kF32);
  static Tensor full(const Shape& shape, double value, DType type = DType::kF32);
  // As many values as the shape has elements.
  template <typename T>
  static Tensor of(const Shape& shape, std::span<const T> values);
  template <typename T>
  static Tensor of(const Shape& shape, const std::vector<T>& values) {
    return of(shape, std::span<const T>(values));
  }

  // Elements that somebody else has, which are read and never written; `owner` keeps them.
  static Tensor wrap(const float* elements, const Shape& shape, std::shared_ptr<const void> owner);

  bool defined() const { return static_cast<bool>(storage_); }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  // Negative axes count from the end.
  int64_t dim(int axis) const { return shape_[axis]; }
  int64_t size() const { return size_; }
  int64_t bytes() const { return size_ * size_of(type_); }
  DType dtype() const { return type_; }
  bool is_float() const { return type_ == DType::kF32 || type_ == DType::kF64; }

  // The elements; T must be the tensor's type.
  template <typename T>
  T* data() const {
    if (type_ != dtype_of<T>()) [[unlikely]]
      wrong_type(dtype_of<T>());
    return reinterpret_cast<T*>(storage_.data()) + offset_;
  }
  std::byte* bytes_data() const { return storage_.data() + offset_ * size_of(type_); }
  template <typename T>
  std::span<T> span() const {
    return {data<T>(), static_cast<size_t>(size_)};
  }
  template <typename T>
  std::vector<T> values() const {
    return {data<T>(), data<T>() + size_};
  }
  // The only element of a tensor of size 1, as a double.
  double item() const;

  // A view with the same elements; one size may be -1 and is then worked out.
  Tensor reshape(std::initializer_list<int64_t> sizes) const;
  Tensor reshape(const Shape& shape) const;
  // A view of rows [begin, end) of the leading axis.
  Tensor slice(int64_t begin, int64_t end) const;
  // New storage with the same elements.
  Tensor copy() const;
  // Elements converted to another type.
  Tensor to(DType type) const;
  void fill(double value);
  // Takes over the elements of a tensor of the same size and type.
  void copy_from(const Tensor& other);

  // No other tensor shares the storage.
  bool unique() const { return storage_.unique(); }
  bool shares_storage(const Tensor& other) const { return storage_.same_as(other.storage_); }

 private:
  [[noreturn]] void wrong_type(DType wanted) const;

  Storage storage_;
  int64_t offset_ = 0;  // in elements
  int64_t size_ = 0;
  Shape shape_;
  DType type_ = DType::kNone;
};

}  // namespace fovea
