// The header of a .npy file: a dict in Python's notation with exactly three entries.
#pragma once

#include <string>
#include <string_view>

#include "fovea/tensor/shape.h"

namespace fovea {

struct NpyHeader {
  std::string descr;  // NumPy's type string, as '<f4'
  bool fortran_order = false;
  Shape shape;
};

// Strict: anything but the three known keys, each once, throws "[npy] source: ...".
NpyHeader parse_npy_header(std::string_view text, std::string_view source);

}  // namespace fovea
