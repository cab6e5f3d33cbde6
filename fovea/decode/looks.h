// Attention weights that were kept step by step, put together.
#pragma once

#include <span>

#include "fovea/run/look.h"

namespace fovea::decode {

// Steps of one sequence, one after the other: for each site and layer weights f32 [heads, rows of all steps, keys], where keys are
// those of the last step; a row is 0 for keys that came after it. Of a window that moved, keys are those of the longest step.
run::Looked join_looks(std::span<const run::Looked> steps);

// The weights of one site: those of its last layer that was looked at; undefined where there are none.
Tensor last_layer(const run::Looked& looked, run::Site site);

}  // namespace fovea::decode
