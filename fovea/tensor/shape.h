// The sizes of a tensor's axes, held inline: copying a shape never allocates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "fovea/base/error.h"

namespace fovea {

class Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) {
    for (int64_t size : sizes) push_back(size);
  }

  int rank() const { return rank_; }
  // Negative axes count from the end.
  int64_t operator[](int axis) const { return sizes_[static_cast<size_t>(axis < 0 ? axis + rank_ : axis)]; }
  int64_t& operator[](int axis) { return sizes_[static_cast<size_t>(axis < 0 ? axis + rank_ : axis)]; }
  const int64_t* begin() const { return sizes_.data(); }
  const int64_t* end() const { return sizes_.data() + rank_; }

  void push_back(int64_t size) {
    check(rank_ < kMaxRank, "shape", "more than {} axes", kMaxRank);
    check(size >= 0, "shape", "an axis of size {}: sizes are 0 or more", size);
    sizes_[static_cast<size_t>(rank_++)] = size;
  }

  // Product of the sizes in [first, last); 1 for an empty range.
  int64_t product(int first, int last) const {
    int64_t n = 1;
    for (int axis = first; axis < last; ++axis) n *= (*this)[axis];
    return n;
  }
  int64_t size() const { return product(0, rank_); }

  // `axis` as a number in [0, rank); throws when there is no such axis.
  int axis(int axis, std::string_view who) const {
    if (axis < -rank_ || axis >= rank_) fail(who, "axis {} of a tensor of shape {}", axis, str());
    return axis < 0 ? axis + rank_ : axis;
  }

  bool operator==(const Shape& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
  bool operator!=(const Shape& other) const { return !(*this == other); }

  std::string str() const {
    std::string text = "[";
    for (int axis = 0; axis < rank_; ++axis) text += (axis ? ", " : "") + std::to_string((*this)[axis]);
    return text + "]";
  }

 private:
  std::array<int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
};

}  // namespace fovea
