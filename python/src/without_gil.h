// Work of the library without the GIL, and the end of the interpreter meanwhile.
#pragma once

#include <pybind11/pybind11.h>

namespace fovea::python {

// A thread that is without the GIL for the time of this object. They are counted: a daemon thread that wants the GIL back when the
// interpreter has ended is torn out of C++ code, which aborts the process.
class Away {
 public:
  Away() = default;
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;

 private:
  struct Counted {
    Counted();
    ~Counted();
  };
  Counted counted_;  // before the other: counts while the GIL is held
  pybind11::gil_scoped_release released_;
};

// Throws Error where the interpreter is ending.
void expect_interpreter();
// Whether it is: work that can be cancelled ends. Needs no GIL.
bool interpreter_ends();
// From here on no work begins; what is under way is waited for, for a few seconds.
void end_work();

// It touches nothing of Python's.
template <typename Work>
auto without_gil(Work&& work) {
  expect_interpreter();
  const Away away;
  return work();
}

}  // namespace fovea::python
