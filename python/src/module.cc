// fovea._fovea: the library as Python sees it. fovea/__init__.py gives the names to the world.
#include <pybind11/pybind11.h>

#include "bindings.h"
#include "fovea/fovea.h"
#include "texts.h"

namespace py = pybind11;

PYBIND11_MODULE(_fovea, module) {
  using namespace fovea::python;
  // The newest translator is asked first: the narrower exception comes last.
  const py::object error = py::register_exception<fovea::Error>(module, "Error", PyExc_RuntimeError);
  py::register_exception<fovea::Cancelled>(module, "Cancelled", error);
  bind_map(module);
  bind_results(module);
  bind_generating(module);
  bind_model(module);
  bind_attend(module);
  module.def("set_threads", &fovea::set_threads, py::arg("count"),
             "How many threads a call uses, in the whole process; 0: as many as OMP_NUM_THREADS says, or one "
             "for each core.");
  module.attr("__version__") = str_of(fovea::version());
  // In messages and in help(), things are where people import them from.
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>())
    if (PyType_Check(value.ptr())) value.attr("__module__") = "fovea";
}
