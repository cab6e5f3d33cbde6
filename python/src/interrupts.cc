#include "interrupts.h"

#include <utility>

namespace fovea::python {
namespace {

bool on_main_thread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

Interrupts::Interrupts(py::object cancelled)
    : cancelled_(std::move(cancelled)), main_thread_(on_main_thread()) {
  if (!cancelled_.is_none() && !PyCallable_Check(cancelled_.ptr()))
    throw py::type_error("cancelled: expected a function without arguments, or None");
}

bool Interrupts::ask() {
  if (interpreter_ends()) return true;
  const auto now = std::chrono::steady_clock::now();
  const bool signals = main_thread_ && now >= next_;
  if (!signals && cancelled_.is_none()) return false;
  const py::gil_scoped_acquire acquired;
  try {
    if (signals) {
      next_ = now + kBetweenSignals;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    return !cancelled_.is_none() && py::bool_(cancelled_());
  } catch (...) {
    raised_ = std::current_exception();
    return true;
  }
}

}  // namespace fovea::python
