// An array named on a command line.
#pragma once

#include <string>

#include "fovea/tensor/tensor.h"

namespace fovea {

// "file.npy", or "file.safetensors:name"; of a .safetensors file that holds one tensor the name may be left
// out.
Tensor read_array(const std::string& spec);

}  // namespace fovea
