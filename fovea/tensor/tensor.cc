#include "fovea/tensor/tensor.h"

#include <cstring>

namespace fovea {
namespace {

// Calls f with a value of the tensor's element type.
template <typename F>
decltype(auto) for_any(DType type, F&& f) {
  switch (type) {
    case DType::kF64:
      return f(double{});
    case DType::kI32:
      return f(int32_t{});
    case DType::kU8:
      return f(uint8_t{});
    case DType::kF32:
    case DType::kNone:
      break;  // whose elements data<float>() refuses
  }
  return f(float{});
}

// The number of elements; throws where it does not fit in memory that could be addressed.
int64_t checked_size(const Shape& shape, DType type) {
  if (type == DType::kNone) fail("tensor", "a tensor of no type: an input was not defined");
  int64_t n = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(n, size, &n) || n > (int64_t{1} << 46) / size_of(type))
      fail("tensor", "shape {} has too many elements", shape.str());
  return n;
}

}  // namespace

Tensor Tensor::empty(const Shape& shape, DType type) {
  Tensor t;
  t.size_ = checked_size(shape, type);
  t.storage_ = Storage(static_cast<size_t>(t.size_ * size_of(type)));
  t.shape_ = shape;
  t.type_ = type;
  return t;
}

Tensor Tensor::wrap(const float* elements, const Shape& shape, std::shared_ptr<const void> owner) {
  Tensor t;
  t.size_ = checked_size(shape, DType::kF32);
  t.storage_ = Storage::of(elements, std::move(owner));
  t.shape_ = shape;
  t.type_ = DType::kF32;
  return t;
}

Tensor Tensor::zeros(const Shape& shape, DType type) {
  Tensor t = empty(shape, type);
  std::memset(t.bytes_data(), 0, static_cast<size_t>(t.bytes()));
  return t;
}

Tensor Tensor::full(const Shape& shape, double value, DType type) {
  Tensor t = empty(shape, type);
  t.fill(value);
  return t;
}

template <typename T>
Tensor Tensor::of(const Shape& shape, std::span<const T> values) {
  Tensor t = empty(shape, dtype_of<T>());
  check(static_cast<int64_t>(values.size()) == t.size(), "tensor", "{} values for shape {}, which holds {}",
        values.size(), shape.str(), t.size());
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}
template Tensor Tensor::of(const Shape&, std::span<const float>);
template Tensor Tensor::of(const Shape&, std::span<const double>);
template Tensor Tensor::of(const Shape&, std::span<const int32_t>);
template Tensor Tensor::of(const Shape&, std::span<const uint8_t>);

double Tensor::item() const {
  if (size_ != 1) fail("item", "a tensor of shape {}: expected one element", shape_.str());
  return for_any(type_, [&](auto t) { return static_cast<double>(*data<decltype(t)>()); });
}

Tensor Tensor::reshape(const Shape& shape) const {
  if (shape.size() != size_)
    fail("reshape", "shape {} to {}: the number of elements differs", shape_.str(), shape.str());
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::reshape(std::initializer_list<int64_t> sizes) const {
  Shape shape;
  int open = -1;
  for (int64_t size : sizes) {
    if (size == -1) {
      check(open < 0, "reshape", "more than one size is -1");
      open = shape.rank();
      size = 1;
    }
    shape.push_back(size);
  }
  if (open >= 0) {
    const int64_t known = shape.size();
    if (known <= 0 || size_ % known)
      fail("reshape", "shape {} does not divide into {} elements", shape_.str(), known);
    shape[open] = size_ / known;
  }
  return reshape(shape);
}

Tensor Tensor::slice(int64_t begin, int64_t end) const {
  if (rank() == 0 || begin < 0 || begin > end || end > dim(0))
    fail("slice", "rows {} to {} of a tensor of shape {}", begin, end, shape_.str());
  Tensor t = *this;
  const int64_t row = shape_.product(1, rank());
  t.offset_ += begin * row;
  t.shape_[0] = end - begin;
  t.size_ = (end - begin) * row;
  return t;
}

Tensor Tensor::copy() const {
  Tensor t = empty(shape_, type_);
  std::memcpy(t.bytes_data(), bytes_data(), static_cast<size_t>(bytes()));
  return t;
}

Tensor Tensor::to(DType type) const {
  if (type == type_) return *this;
  Tensor t = empty(shape_, type);
  for_any(type_, [&](auto from) {
    for_any(type, [&](auto to) {
      std::transform(data<decltype(from)>(), data<decltype(from)>() + size_, t.data<decltype(to)>(),
                     [](auto x) { return static_cast<decltype(to)>(x); });
    });
  });
  return t;
}

void Tensor::copy_from(const Tensor& other) {
  check(other.size() == size_ && other.dtype() == type_, "copy_from", "elements {} {} for {} {}",
        name_of(other.dtype()), other.shape().str(), name_of(type_), shape_.str());
  std::memcpy(bytes_data(), other.bytes_data(), static_cast<size_t>(bytes()));
}

void Tensor::fill(double value) {
  for_any(type_, [&](auto t) { std::fill_n(data<decltype(t)>(), size_, static_cast<decltype(t)>(value)); });
}

void Tensor::wrong_type(DType wanted) const {
  fail("tensor", "elements are {}: expected {}", name_of(type_), name_of(wanted));
}

}  // namespace fovea
