#include "fovea/tensor/shape_ops.h"

#include <cstring>

#include "fovea/base/parallel.h"
#include "fovea/kernels/accumulate.h"
#include "fovea/kernels/transpose.h"

namespace fovea::tensor {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements to a block of work

// A permutation as a walk: x and y are matrices turned over (or runs copied) at every value of the other
// axes.
struct Walk {
  int rank = 0;
  int64_t sizes[Shape::kMaxRank], from[Shape::kMaxRank],
      to[Shape::kMaxRank];  // the other axes: size, strides in x and y
  int64_t rows = 1, cols = 1, ldx = 1, ldy = 1;

  int64_t count() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= sizes[i];
    return n;
  }
  void at(int64_t index, int64_t* x, int64_t* y) const {
    *x = *y = 0;
    for (int i = rank - 1; i >= 0; --i, index /= sizes[i + 1]) {
      *x += index % sizes[i] * from[i];
      *y += index % sizes[i] * to[i];
    }
  }
};

template <typename T>
void turn(const Walk& w, const T* x, T* y) {
  // Tall matrices are cut too, so that one large one is shared.
  const int64_t tall = std::max<int64_t>(32, kGrain / std::max<int64_t>(w.cols, 1));
  const int64_t pieces = (w.rows + tall - 1) / tall;
  const int64_t each = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, std::min(tall, w.rows) * w.cols));
  parallel_ranges(w.count() * pieces, each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t at_x, at_y;
      w.at(i / pieces, &at_x, &at_y);
      const int64_t row = i % pieces * tall, rows = std::min(tall, w.rows - row);
      kernels::transpose(x + at_x + row * w.ldx, w.ldx, y + at_y + row, w.ldy, rows, w.cols);
    }
  });
}

template <typename T>
void copy_runs(const Walk& w, const T* x, T* y) {
  parallel_ranges(w.count(), std::max<int64_t>(1, kGrain / std::max<int64_t>(1, w.cols)),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      int64_t at_x, at_y;
                      w.at(i, &at_x, &at_y);
                      std::memcpy(y + at_y, x + at_x, static_cast<size_t>(w.cols) * sizeof(T));
                    }
                  });
}

}  // namespace

Tensor permute(const Tensor& x, std::span<const int> order) {
  const int rank = x.rank();
  Order axes{};
  unsigned seen = 0;
  if (static_cast<int>(order.size()) != rank)
    fail("permute", "{} axes for shape {}", order.size(), x.shape().str());
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const int axis = axes[static_cast<size_t>(i)] = x.shape().axis(order[static_cast<size_t>(i)], "permute");
    if (seen >> axis & 1) fail("permute", "axis {} of shape {} is named twice", axis, x.shape().str());
    seen |= 1u << axis;
    shape.push_back(x.dim(axis));
  }
  Tensor y = Tensor::empty(shape, x.dtype());
  if (x.size() == 0) return y;
  const bool turns = rank > 1 && axes[static_cast<size_t>(rank - 1)] != rank - 1;
  Walk walk;
  for (int i = 0; i < rank; ++i) {
    const int axis = axes[static_cast<size_t>(i)];
    const int64_t from = x.shape().product(axis + 1, rank), to = shape.product(i + 1, rank);
    if (axis == rank - 1) {  // x's last axis: the columns
      walk.cols = x.dim(axis);
      walk.ldy = to;
    } else if (turns && i == rank - 1) {  // y's last axis: the rows
      walk.rows = x.dim(axis);
      walk.ldx = from;
    } else if (x.dim(axis) > 1) {
      walk.sizes[walk.rank] = x.dim(axis);
      walk.from[walk.rank] = from;
      walk.to[walk.rank++] = to;
    }
  }
  const auto run = [&](auto t) {
    using T = decltype(t);
    turns ? turn(walk, x.data<T>(), y.data<T>()) : copy_runs(walk, x.data<T>(), y.data<T>());
  };
  x.dtype() == DType::kI32 ? run(int32_t{}) : for_float(x.dtype(), "permute", run);
  return y;
}

Tensor transpose(const Tensor& x, int axis_a, int axis_b) {
  Order order{};
  for (int i = 0; i < x.rank(); ++i) order[static_cast<size_t>(i)] = i;
  std::swap(order[static_cast<size_t>(x.shape().axis(axis_a, "transpose"))],
            order[static_cast<size_t>(x.shape().axis(axis_b, "transpose"))]);
  return permute(x, std::span<const int>(order.data(), static_cast<size_t>(x.rank())));
}

void put_part(const Tensor& x, Tensor& y, int axis, int64_t at, bool accumulate) {
  const int64_t outer = x.shape().product(0, axis), inner = x.shape().product(axis + 1, x.rank());
  const int64_t run = x.dim(axis) * inner, stride = y.dim(axis) * inner, begin = at * inner;
  if (x.size() == 0) return;
  if (!accumulate) {
    const int64_t size = size_of(x.dtype());
    parallel_ranges(outer, std::max<int64_t>(1, kGrain / run), [&](int64_t first, int64_t last) {
      for (int64_t o = first; o < last; ++o)
        std::memcpy(y.bytes_data() + (o * stride + begin) * size, x.bytes_data() + o * run * size,
                    static_cast<size_t>(run * size));
    });
    return;
  }
  for_float(x.dtype(), "put_part", [&](auto t) {
    using T = decltype(t);
    for (int64_t o = 0; o < outer; ++o)
      kernels::accumulate(x.data<T>() + o * run, y.data<T>() + o * stride + begin, run);
  });
}

void join_shape(Shape& whole, DType type, const Tensor& part, int axis) {
  bool fits = part.rank() == whole.rank() && part.dtype() == type;
  for (int i = 0; fits && i < whole.rank(); ++i) fits = i == axis || part.dim(i) == whole[i];
  if (!fits)
    fail("concat", "{} {} after {} {}: expected axes equal but for axis {}", name_of(part.dtype()),
         part.shape().str(), name_of(type), whole.str(), axis);
  whole[axis] += part.dim(axis);
}

Tensor slice(const Tensor& x, int axis, int64_t begin, int64_t end) {
  axis = x.shape().axis(axis, "slice");
  if (begin < 0 || begin > end || end > x.dim(axis))
    fail("slice", "elements {} to {} of axis {} of shape {}", begin, end, axis, x.shape().str());
  if (axis == 0) return x.slice(begin, end);
  Shape shape = x.shape();
  shape[axis] = end - begin;
  Tensor y = Tensor::empty(shape, x.dtype());
  if (y.size() == 0) return y;
  const int64_t outer = x.shape().product(0, axis),
                inner = x.shape().product(axis + 1, x.rank()) * size_of(x.dtype());
  const int64_t run = (end - begin) * inner, stride = x.dim(axis) * inner;
  parallel_ranges(outer, std::max<int64_t>(1, 4 * kGrain / run), [&](int64_t first, int64_t last) {
    for (int64_t o = first; o < last; ++o)
      std::memcpy(y.bytes_data() + o * run, x.bytes_data() + o * stride + begin * inner,
                  static_cast<size_t>(run));
  });
  return y;
}

Tensor pad(const Tensor& x, int axis, int64_t before, int64_t after, double value) {
  axis = x.shape().axis(axis, "pad");
  if (before < 0 || after < 0) fail("pad", "{} before and {} after: expected 0 or more", before, after);
  Shape shape = x.shape();
  shape[axis] += before + after;
  Tensor y = Tensor::full(shape, value, x.dtype());
  put_part(x, y, axis, before, false);
  return y;
}

}  // namespace fovea::tensor
