#pragma once

#include <pybind11/pybind11.h>

namespace fovea::python {

// Work of the library, beside which other threads of Python run. It touches nothing of Python's.
template <typename Work>
auto without_gil(Work&& work) {
  const pybind11::gil_scoped_release released;
  return work();
}

}  // namespace fovea::python
