#include "fovea/autograd/mask.h"

#include <limits>

namespace fovea::autograd {
namespace {

// Calls f(row of x, row of visible) for every (b, h, i): offsets of their first element.
template <typename F>
void for_each_row(const Shape& x, const Shape& visible, F&& f) {
  auto stride = [&](int axis) { return visible[axis] == 1 ? 0 : visible.product(axis + 1, 4); };
  const int64_t sb = stride(0), sh = stride(1), st = stride(2);
  int64_t row = 0;
  for (int64_t b = 0; b < x[0]; ++b)
    for (int64_t h = 0; h < x[1]; ++h)
      for (int64_t i = 0; i < x[2]; ++i, row += x[3]) f(row, b * sb + h * sh + i * st);
}

}  // namespace

Var hide(const Var& x, const Tensor& visible) {
  bool fits = x.rank() == 4 && visible.rank() == 4 && visible.dim(3) == x.dim(3);
  for (int axis = 0; fits && axis < 3; ++axis)
    fits = visible.dim(axis) == 1 || visible.dim(axis) == x.dim(axis);
  if (!fits)
    fail("hide", "scores of shape {} and a mask of shape {}", x.shape().str(), visible.shape().str());
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  const uint8_t* seen = visible.data<uint8_t>();
  const int64_t keys = x.dim(3);
  for_float(x.dtype(), "hide", [&](auto zero) {
    using T = decltype(zero);
    for_each_row(x.shape(), visible.shape(), [&](int64_t row, int64_t mask) {
      for (int64_t j = 0; j < keys; ++j)
        y.data<T>()[row + j] =
            seen[mask + j] ? x.value().data<T>()[row + j] : -std::numeric_limits<T>::infinity();
    });
  });
  return record("hide", {x}, y, [visible](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      for_float(dx.dtype(), "hide", [&](auto zero) {
        using T = decltype(zero);
        for_each_row(dx.shape(), visible.shape(), [&](int64_t row, int64_t mask) {
          for (int64_t j = 0; j < dx.dim(3); ++j)
            if (visible.data<uint8_t>()[mask + j]) dx.data<T>()[row + j] += dy.data<T>()[row + j];
        });
      });
    });
  });
}

Var by_distance(const Var& x, int64_t queries, int64_t keys) {
  if (x.rank() != 2 || x.dim(1) != queries + keys - 1)
    fail("by_distance", "shape {}: expected [heads, {}] for {} queries and {} keys", x.shape().str(),
         queries + keys - 1, queries, keys);
  const int64_t heads = x.dim(0), width = x.dim(1);
  Tensor y = Tensor::empty({1, heads, queries, keys}, x.dtype());
  auto for_each = [=](auto&& f) {  // f(element of x, element of y)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i)
        for (int64_t j = 0; j < keys; ++j) f(h * width + j - i + queries - 1, (h * queries + i) * keys + j);
  };
  for_float(x.dtype(), "by_distance", [&](auto zero) {
    using T = decltype(zero);
    for_each([&](int64_t from, int64_t to) { y.data<T>()[to] = x.value().data<T>()[from]; });
  });
  return record("by_distance", {x}, y, [for_each](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx) {
      for_float(dx.dtype(), "by_distance", [&](auto zero) {
        using T = decltype(zero);
        for_each([&](int64_t from, int64_t to) { dx.data<T>()[from] += dy.data<T>()[to]; });
      });
    });
  });
}

}  // namespace fovea::autograd
