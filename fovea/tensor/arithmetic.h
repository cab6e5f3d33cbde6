// Arithmetic on tensors, with NumPy's broadcasting: shapes are compared from the last axis on, and an axis of
// size 1, or one that is missing, is repeated.
#pragma once

#include "fovea/kernels/arithmetic.h"
#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// The shape of `a op b`; throws where the shapes do not fit.
Shape broadcast_shape(const Shape& a, const Shape& b, std::string_view who);

Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);

// alpha * x + beta
Tensor affine(const Tensor& x, double alpha, double beta);

// y = a op b, or y += a op b with `accumulate`; y has the shape of a op b.
void arithmetic_into(kernels::Arithmetic op, const Tensor& a, const Tensor& b, Tensor& y, bool accumulate);

// to = alpha * (x summed over the axes along which `to` would be repeated) + beta * to. The gradient of
// broadcasting.
void sum_to(const Tensor& x, Tensor& to, double alpha, float beta);

// x repeated to `shape`.
Tensor broadcast_to(const Tensor& x, const Shape& shape);

}  // namespace fovea::tensor
