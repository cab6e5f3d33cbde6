// Attention rollout (Abnar and Zuidema 2020): how much each input reaches a token through all layers up to one, where residual
// connections carry half of it.
//
//   R_l = (1/2 I + 1/2 mean_h A_lh) R_(l-1),    R_(-1) = I
#pragma once

#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::look {

// Row `token` of R_l for each layer l, f32 [layers, T]. `layers` are the weights of one sequence, f32 [H, T, T] each, from the first on.
Tensor rollout(const std::vector<Tensor>& layers, int64_t token = 0);

}  // namespace fovea::look
