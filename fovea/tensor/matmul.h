// Matrix products of tensors.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// op(a) op(b) over the last two axes, op being the transpose where ta or tb say so:
//   a[.., m, k] x b[.., k, n] -> [.., m, n]   with equal leading axes, or
//   a[.., m, k] x b[k, n]     -> [.., m, n]   one b for all.
Tensor matmul(const Tensor& a, const Tensor& b, bool ta = false, bool tb = false);

// c = op(a) op(b) + beta * c, where c has the shape of the product, or a and b have leading axes that c lacks
// and the products are added up: a[.., m, k], b[.., k, n] -> c[m, n]. c is not read where beta is 0.
void matmul_into(const Tensor& a, const Tensor& b, bool ta, bool tb, Tensor& c, float beta);

// x[.., in] w[out, in]^T + bias[out] -> [.., out]; bias may be undefined.
Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias);
// The same, with every row the bits it would have alone (kernels/packed.h): for models that run, whose answer to one
// sentence must not depend on the others.
Tensor linear_by_rows(const Tensor& x, const Tensor& w, const Tensor& bias);

}  // namespace fovea::tensor
