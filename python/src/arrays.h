// NumPy's arrays and the library's: neither is copied where it need not be.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "fovea/fovea.h"

namespace fovea::python {

namespace py = pybind11;

// Shares the numbers, which nobody may write. None for an array without any.
py::object numpy_of(const Array& array);

// Arrays of a caller, held while the library reads them. f32 that is contiguous and aligned is read where it is; other numbers are
// converted.
class Inputs {
 public:
  // None: an array that was not given. TypeError for what is no array of numbers.
  ArrayView view(py::handle array, const std::string& name);

 private:
  std::vector<py::array> held_;
};

}  // namespace fovea::python
