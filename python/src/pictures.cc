#include "pictures.h"

#include <pybind11/numpy.h>

#include <string>

namespace fovea::python {
namespace {

constexpr const char* kExpected =
    "expected a path, or an array uint8 [height, width, 3] or [height, width], or a list of them; met ";

bool is_path(py::handle given) {
  return py::isinstance<py::str>(given) || py::isinstance<py::bytes>(given) ||
         py::hasattr(given, "__fspath__");
}

std::string shape_text(const py::array& array) {
  return py::str("an array {} {}").format(array.dtype(), array.attr("shape"));
}

Picture pixels_of(const py::array& array) {
  const bool grey = array.ndim() == 2;
  if (!py::isinstance<py::array_t<uint8_t>>(array) || (!grey && array.ndim() != 3))
    throw py::type_error(kExpected + shape_text(array));
  const auto whole = py::array_t<uint8_t, py::array::c_style | py::array::forcecast>::ensure(array);
  if (!whole) throw py::error_already_set();
  Picture picture;
  picture.height = whole.shape(0);
  picture.width = whole.shape(1);
  picture.channels = grey ? 1 : whole.shape(2);
  picture.pixels.assign(whole.data(), whole.data() + whole.size());
  return picture;
}

}  // namespace

Picture picture_from(py::handle given) {
  if (is_path(given)) {
    PyObject* path = nullptr;
    if (!PyUnicode_FSConverter(given.ptr(), &path)) throw py::error_already_set();
    const std::string name = py::reinterpret_steal<py::bytes>(path);
    if (name.empty()) throw py::value_error("a path without a name: expected that of a PNG or JPEG file");
    Picture picture;
    picture.path = name;
    return picture;
  }
  if (!py::isinstance<py::array>(given))
    throw py::type_error(std::string(kExpected) + Py_TYPE(given.ptr())->tp_name);
  return pixels_of(py::reinterpret_borrow<py::array>(given));
}

Pictures::Pictures(py::handle given) {
  const bool array = py::isinstance<py::array>(given);
  one = is_path(given) || (array && py::reinterpret_borrow<py::array>(given).ndim() != 4) ||
        !py::isinstance<py::iterable>(given);
  if (one)
    all.push_back(picture_from(given));
  else
    for (const py::handle picture : given) all.push_back(picture_from(picture));
}

}  // namespace fovea::python
