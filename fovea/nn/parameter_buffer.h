// The parameters of a model side by side in one buffer, and their gradients in another of the same layout: what sweeps over all of them (norm,
// optimiser, sums over machines) meets long arrays, and addresses stay the same for as long as the model is trained.
#pragma once

#include "fovea/nn/parameter.h"

namespace fovea::nn {

// Moves values and gradients, in the order of the list, into two new buffers; `value` and `grad` become views of them. Each parameter begins at
// a multiple of 64 bytes, and what lies between two of them is 0. One that had no gradient has none still (has_grad()). Parameters that lie so
// already are left where they are. Throws where they are not all of one type.
void gather(const ParameterList& parameters);

// Whether `next` lies behind `parameter` in the same buffers.
bool are_neighbours(const Parameter& parameter, const Parameter& next);

}  // namespace fovea::nn
