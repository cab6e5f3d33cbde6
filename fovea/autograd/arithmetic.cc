#include "fovea/autograd/arithmetic.h"

#include "fovea/tensor/arithmetic.h"

namespace fovea::autograd {
namespace {

using kernels::Arithmetic;
using tensor::arithmetic_into;
using tensor::sum_to;

void scaled_into(const Tensor& dy, Tensor& dx, double alpha, float beta) {
  for_float(dx.dtype(), "scale", [&](auto t) {
    using T = decltype(t);
    const auto a = static_cast<T>(alpha);
    if (beta == 0)
      kernels::affine(dy.data<T>(), dx.data<T>(), dx.size(), a, T{0});
    else
      kernels::add_scaled(dy.data<T>(), dx.data<T>(), dx.size(), a);
  });
}

// Adds alpha * dy to the gradient of input i, which was repeated to dy's shape.
void pass(Grads& grads, size_t i, const Shape& shape, const Tensor& dy, double alpha) {
  if (shape == dy.shape() && alpha == 1) return grads.pass(i, dy);
  grads.add(i, [&](Tensor& dx, float beta) {
    shape == dy.shape() ? scaled_into(dy, dx, alpha, beta) : sum_to(dy, dx, alpha, beta);
  });
}

// Adds (a op b) to the gradient of input i, which was repeated to a's shape.
void pass(Grads& grads, size_t i, const Shape& shape, Arithmetic op, const Tensor& a, const Tensor& b,
          double alpha = 1) {
  grads.add(i, [&](Tensor& dx, float beta) {
    if (shape == a.shape() && alpha == 1) return arithmetic_into(op, a, b, dx, beta != 0);
    Tensor whole = Tensor::empty(a.shape(), a.dtype());
    arithmetic_into(op, a, b, whole, false);
    shape == a.shape() ? scaled_into(whole, dx, alpha, beta) : sum_to(whole, dx, alpha, beta);
  });
}

}  // namespace

Var add(const Var& a, const Var& b) {
  return record("add", {a, b}, tensor::add(a.value(), b.value()),
                [sa = a.shape(), sb = b.shape()](const Tensor& dy, Grads& grads) {
                  pass(grads, 0, sa, dy, 1);
                  pass(grads, 1, sb, dy, 1);
                });
}

Var sub(const Var& a, const Var& b) {
  return record("sub", {a, b}, tensor::sub(a.value(), b.value()),
                [sa = a.shape(), sb = b.shape()](const Tensor& dy, Grads& grads) {
                  pass(grads, 0, sa, dy, 1);
                  pass(grads, 1, sb, dy, -1);
                });
}

Var mul(const Var& a, const Var& b) {
  return record("mul", {a, b}, tensor::mul(a.value(), b.value()),
                [x = a.value(), z = b.value()](const Tensor& dy, Grads& grads) {
                  pass(grads, 0, x.shape(), Arithmetic::kMul, dy, z);
                  pass(grads, 1, z.shape(), Arithmetic::kMul, dy, x);
                });
}

// y = a / b:  da = dy / b,  db = -dy y / b.
Var div(const Var& a, const Var& b) {
  Tensor y = tensor::div(a.value(), b.value());
  return record("div", {a, b}, y, [sa = a.shape(), z = b.value(), y](const Tensor& dy, Grads& grads) {
    pass(grads, 0, sa, Arithmetic::kDiv, dy, z);
    if (grads.wants(1)) pass(grads, 1, z.shape(), Arithmetic::kDiv, tensor::mul(dy, y), z, -1);
  });
}

Var neg(const Var& x) { return scale(x, -1); }

Var scale(const Var& x, double factor) {
  return record("scale", {x}, tensor::affine(x.value(), factor, 0), [factor](const Tensor& dy, Grads& grads) {
    grads.add(0, [&](Tensor& dx, float beta) { scaled_into(dy, dx, factor, beta); });
  });
}

Var add_scalar(const Var& x, double term) {
  return record("add_scalar", {x}, tensor::affine(x.value(), 1, term),
                [](const Tensor& dy, Grads& grads) { grads.pass(0, dy); });
}

Var broadcast_to(const Var& x, const Shape& shape) {
  return record("broadcast_to", {x}, tensor::broadcast_to(x.value(), shape),
                [from = x.shape()](const Tensor& dy, Grads& grads) { pass(grads, 0, from, dy, 1); });
}

}  // namespace fovea::autograd
