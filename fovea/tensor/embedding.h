// Rows of a table, looked up by number.
#pragma once

#include "fovea/tensor/tensor.h"

namespace fovea::tensor {

// table [V, E], ids i32 [...] -> [..., E]. An id outside [0, V) is an error that names its place and value.
Tensor embedding(const Tensor& table, const Tensor& ids);

}  // namespace fovea::tensor
