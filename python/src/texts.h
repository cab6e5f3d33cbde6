// Texts of Python and of the library.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

namespace fovea::python {

namespace py = pybind11;

// A token may be a part of a character: what is not UTF-8 shows as U+FFFD.
inline py::str str_of(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (!decoded) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

inline py::list list_of(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(str_of(text));
  return list;
}

// Objects of the module, one for each value.
template <typename T>
py::list list_of(std::vector<T> values) {
  py::list list;
  for (T& value : values) list.append(py::cast(std::move(value)));
  return list;
}

// A str; TypeError for anything else, which says what was expected.
inline std::string text_of(py::handle text, const char* expected) {
  if (!py::isinstance<py::str>(text))
    throw py::type_error(std::string("expected ") + expected + ", met " + Py_TYPE(text.ptr())->tp_name);
  return text.cast<std::string>();
}

inline std::vector<std::string> texts_of(py::handle lines, const char* expected) {
  if (!py::isinstance<py::iterable>(lines) || py::isinstance<py::bytes>(lines)) text_of(lines, expected);
  std::vector<std::string> texts;
  for (const py::handle line : lines) texts.push_back(text_of(line, expected));
  return texts;
}

}  // namespace fovea::python
