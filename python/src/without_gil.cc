#include "without_gil.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "fovea/fovea.h"

namespace fovea::python {
namespace {

int threads_away = 0;  // guarded by the GIL
std::atomic<bool> ends{false};

}  // namespace

Away::Counted::Counted() { ++threads_away; }
Away::Counted::~Counted() { --threads_away; }

bool interpreter_ends() { return ends.load(); }

void expect_interpreter() {
  if (ends) throw Error("[python] the interpreter is ending: no work begins any more");
}

void end_work() {
  ends = true;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (threads_away > 0 && std::chrono::steady_clock::now() < until) {
    const pybind11::gil_scoped_release released;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace fovea::python
