#include "fovea/tensor/arithmetic.h"

#include "fovea/kernels/reduce.h"

namespace fovea::tensor {
namespace {

using kernels::Arithmetic;
using kernels::Broadcast;

// The size of `shape`'s axis that lines up with `axis` of a shape of `rank` axes; 1 where it has none.
int64_t aligned(const Shape& shape, int axis, int rank) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

// How to walk a and b along y: axes of size 1 are dropped, and neighbours that both operands walk alike
// become one.
Broadcast plan(const Shape& a, const Shape& b, const Shape& y) {
  Broadcast reversed;  // innermost first, while it is being made
  int64_t stride_a = 1, stride_b = 1;
  for (int axis = y.rank() - 1; axis >= 0; --axis) {
    const int64_t size = y[axis], size_a = aligned(a, axis, y.rank()), size_b = aligned(b, axis, y.rank());
    if (size == 1) continue;
    const int64_t step_a = size_a == 1 ? 0 : stride_a, step_b = size_b == 1 ? 0 : stride_b;
    const int last = reversed.rank - 1;
    if (last >= 0 && step_a == reversed.a[last] * reversed.sizes[last] &&
        step_b == reversed.b[last] * reversed.sizes[last]) {
      reversed.sizes[last] *= size;
    } else {
      reversed.sizes[reversed.rank] = size;
      reversed.a[reversed.rank] = step_a;
      reversed.b[reversed.rank++] = step_b;
    }
    stride_a *= size_a;
    stride_b *= size_b;
  }
  Broadcast shape;
  shape.rank = reversed.rank;
  for (int i = 0; i < shape.rank; ++i) {
    const int from = shape.rank - 1 - i;
    shape.sizes[i] = reversed.sizes[from];
    shape.a[i] = reversed.a[from];
    shape.b[i] = reversed.b[from];
  }
  return shape;
}

Tensor compute(Arithmetic op, const Tensor& a, const Tensor& b, std::string_view who) {
  if (a.dtype() != b.dtype())
    fail(who, "{} and {}: expected one type", name_of(a.dtype()), name_of(b.dtype()));
  Tensor y = Tensor::empty(a.shape() == b.shape() ? a.shape() : broadcast_shape(a.shape(), b.shape(), who),
                           a.dtype());
  arithmetic_into(op, a, b, y, false);
  return y;
}

}  // namespace

Shape broadcast_shape(const Shape& a, const Shape& b, std::string_view who) {
  const int rank = std::max(a.rank(), b.rank());
  Shape y;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t size_a = aligned(a, axis, rank), size_b = aligned(b, axis, rank);
    if (size_a != size_b && size_a != 1 && size_b != 1)
      fail(who, "shapes {} and {} do not fit: expected equal axes from the last on, or 1", a.str(), b.str());
    y.push_back(size_a == 1 ? size_b : size_a);
  }
  return y;
}

void arithmetic_into(Arithmetic op, const Tensor& a, const Tensor& b, Tensor& y, bool accumulate) {
  if (y.size() == 0) return;
  const Broadcast shape = plan(a.shape(), b.shape(), y.shape());
  for_float(y.dtype(), "arithmetic", [&](auto t) {
    using T = decltype(t);
    kernels::arithmetic(op, shape, a.data<T>(), b.data<T>(), y.data<T>(), accumulate);
  });
}

Tensor add(const Tensor& a, const Tensor& b) { return compute(Arithmetic::kAdd, a, b, "add"); }
Tensor sub(const Tensor& a, const Tensor& b) { return compute(Arithmetic::kSub, a, b, "sub"); }
Tensor mul(const Tensor& a, const Tensor& b) { return compute(Arithmetic::kMul, a, b, "mul"); }
Tensor div(const Tensor& a, const Tensor& b) { return compute(Arithmetic::kDiv, a, b, "div"); }

Tensor affine(const Tensor& x, double alpha, double beta) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  for_float(x.dtype(), "affine", [&](auto t) {
    using T = decltype(t);
    kernels::affine(x.data<T>(), y.data<T>(), x.size(), static_cast<T>(alpha), static_cast<T>(beta));
  });
  return y;
}

void sum_to(const Tensor& x, Tensor& to, double alpha, float beta) {
  if (broadcast_shape(x.shape(), to.shape(), "sum_to") != x.shape())
    fail("sum_to", "shape {} to {}: expected one that is repeated to it", x.shape().str(), to.shape().str());
  // One pass for each run of repeated axes, the last of them into `to`.
  Tensor from = x;
  const auto pass = [&](int64_t outer, int64_t n, int64_t inner, Tensor& y, double a, double b) {
    for_float(x.dtype(), "sum_to", [&](auto t) {
      using T = decltype(t);
      kernels::sum_axis(from.data<T>(), y.data<T>(), outer, n, inner, static_cast<T>(a), static_cast<T>(b));
    });
  };
  const auto repeated = [&](int axis) { return aligned(to.shape(), axis, x.rank()) != x.dim(axis); };
  int64_t outer = 1;  // axes before `axis`, after what was summed
  for (int axis = 0; axis < x.rank();) {
    if (!repeated(axis)) {
      outer *= x.dim(axis++);
      continue;
    }
    int end = axis, next = x.rank();
    while (end < x.rank() && (repeated(end) || x.dim(end) == 1)) ++end;
    for (int later = x.rank() - 1; later >= end; --later)
      if (repeated(later)) next = later;
    const int64_t n = x.shape().product(axis, end), inner = x.shape().product(end, x.rank());
    if (next == x.rank()) return pass(outer, n, inner, to, alpha, beta);
    Tensor summed = Tensor::empty({outer, inner}, x.dtype());
    pass(outer, n, inner, summed, 1, 0);
    from = summed;
    axis = end;
  }
  pass(1, 1, x.size(), to, alpha, beta);  // nothing was repeated
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  if (broadcast_shape(x.shape(), shape, "broadcast_to") != shape)
    fail("broadcast_to", "shape {} cannot be repeated to {}", x.shape().str(), shape.str());
  Tensor y = Tensor::empty(shape, x.dtype());
  const Tensor zero = Tensor::zeros({}, x.dtype());
  arithmetic_into(Arithmetic::kAdd, x, zero, y, false);
  return y;
}

}  // namespace fovea::tensor
