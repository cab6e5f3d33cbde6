// What each file of the module adds to it. The module is a client of fovea/fovea.h alone.
#pragma once

#include <pybind11/pybind11.h>

namespace fovea::python {

void bind_results(pybind11::module_& module);     // results.cc: what a model answers
void bind_map(pybind11::module_& module);         // map.cc
void bind_generating(pybind11::module_& module);  // generating.cc: text as it comes
void bind_model(pybind11::module_& module);       // model.cc: load() and Model
void bind_attend(pybind11::module_& module);      // attend.cc

}  // namespace fovea::python
