// Convolution of pictures with gradients. Shapes as in fovea/tensor/convolution.h.
#pragma once

#include "fovea/autograd/tape.h"
#include "fovea/tensor/convolution.h"

namespace fovea::autograd {

using tensor::ConvolutionOptions;

// x [B, height, width, C], w [O, kernel height, kernel width, C / groups], bias [O] or undefined: Var().
// A picture's result does not depend on the others of its batch.
Var convolution(const Var& x, const Var& w, const Var& bias, const ConvolutionOptions& options = {});

// Pictures cut into squares of `size` pixels: [B, height, width, C] -> [B, height / size * width / size, size * size * C], row by row of
// patches, and within one row by row of pixels. With a linear layer after it, it is a convolution whose stride is its kernel's size: w [O, size,
// size, C] is the layer's [O, size * size * C].
Var patches(const Var& x, int64_t size);

}  // namespace fovea::autograd
