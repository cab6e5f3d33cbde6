// Pictures of Python: a file's path, or an array.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "fovea/fovea.h"

namespace fovea::python {

namespace py = pybind11;

// A str, bytes or os.PathLike: a file. An array uint8 [height, width, 3], [height, width, 1] or [height, width]: its pixels, copied.
// TypeError for anything else.
Picture picture_from(py::handle picture);

// One of those, or a list of them (an array [n, height, width, 3] is one).
struct Pictures {
  explicit Pictures(py::handle given);

  std::vector<Picture> all;
  bool one = false;
};

}  // namespace fovea::python
