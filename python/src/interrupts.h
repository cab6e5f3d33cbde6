// Work without the GIL that Ctrl-C, or a `cancelled` of the caller, can end.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <functional>

#include "fovea/fovea.h"
#include "without_gil.h"

namespace fovea::python {

namespace py = pybind11;

// How often signals are looked for. Steps of a small model take microseconds, and the GIL may have to be waited for.
inline constexpr std::chrono::milliseconds kBetweenSignals{20};

class Interrupts {
 public:
  // cancelled: a function that says whether to stop, or None.
  explicit Interrupts(py::object cancelled);

  // For options.cancelled, while this object is there.
  std::function<bool()> asked() {
    return [this] { return ask(); };
  }

  // What Python raised meanwhile (KeyboardInterrupt, or an exception of `cancelled`) is raised in place of Cancelled.
  template <typename Work>
  auto run(Work&& work) {
    try {
      return without_gil(work);
    } catch (const Cancelled&) {
      if (raised_) std::rethrow_exception(raised_);
      throw;
    }
  }

 private:
  bool ask();

  py::object cancelled_;
  bool main_thread_;  // the only one on which Python's handlers of signals run
  std::chrono::steady_clock::time_point next_{};
  std::exception_ptr raised_;
};

}  // namespace fovea::python
