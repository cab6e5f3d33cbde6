// Masks given as whole matrices.
#pragma once

#include "fovea/nn/masks/mask.h"

namespace fovea::nn {

// [T, S] and [B, T, S] as [B, H, T, S], checked against the attention's sizes.
Shape four_axes(const char* who, const Shape& s, const MaskContext& c, bool keys_may_be_shared);

}  // namespace fovea::nn
