#include "arrays.h"

#include <memory>

namespace fovea::python {

py::object numpy_of(const Array& array) {
  if (array.empty()) return py::none();
  using Owner = std::shared_ptr<const float>;
  auto owner = std::make_unique<Owner>(array.shared());
  const py::capsule base(owner.get(), [](void* held) { delete static_cast<Owner*>(held); });
  owner.release();
  py::array_t<float> numbers(array.shape(), array.data(), base);
  numbers.attr("setflags")(py::arg("write") = false);
  return numbers;
}

ArrayView Inputs::view(py::handle array, const std::string& name) {
  if (array.is_none()) return {};
  using Numbers =
      py::array_t<float, py::array::c_style | py::array::forcecast | py::detail::npy_api::NPY_ARRAY_ALIGNED_>;
  const py::array any = py::array::ensure(array);
  // Numbers of Python and NumPy: booleans, integers and floats. Complex numbers would lose a half, and texts are no numbers.
  if (!any || std::string("biuf").find(any.dtype().kind()) == std::string::npos)
    throw py::type_error(name + ": expected an array of numbers, met " +
                         (any ? py::str(any.dtype()).cast<std::string>() : Py_TYPE(array.ptr())->tp_name));
  const Numbers numbers = Numbers::ensure(any);
  if (!numbers) throw py::type_error(name + ": expected an array that converts to float32");
  held_.push_back(numbers);
  return {{numbers.shape(), numbers.shape() + numbers.ndim()}, numbers.data()};
}

}  // namespace fovea::python
