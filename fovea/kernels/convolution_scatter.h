// The gradient of the input of a convolution that reads few channels, such as the colours of a picture: too few to fill a vector. The products
// of a position's dy with all weights of the window are made at once, and then added to the places that the window read.
#pragma once

#include "fovea/kernels/convolution.h"

namespace fovea::kernels {

bool scattering_pays(const ConvolutionSize& size);
void scatter_backward_input(const ConvolutionSize& size, const float* w, const float* dy, float beta,
                            float* dx);

}  // namespace fovea::kernels
