#include "generating.h"

#include <pybind11/stl.h>

#include <vector>

#include "bindings.h"
#include "interrupts.h"
#include "texts.h"
#include "without_gil.h"

namespace fovea::python {
namespace {

// Pieces that are written before they are asked for: who stops asking stops the work.
constexpr size_t kAhead = 16;

// All that were begun, guarded by the GIL.
std::vector<std::weak_ptr<Generating>> begun;

}  // namespace

Generating::Generating(Model model, std::string prompt, GenerateOptions options, py::object on_prompt)
    : model_(std::move(model)),
      prompt_(std::move(prompt)),
      options_(std::move(options)),
      on_prompt_(std::move(on_prompt)) {
  if (!on_prompt_.is_none() && !PyCallable_Check(on_prompt_.ptr()))
    throw py::type_error("on_prompt: expected a function of (tokens, of), or None");
  options_.on_text = [this](std::string_view text) { return put(std::string(text)); };
  if (!on_prompt_.is_none())
    options_.on_prompt = [this](int64_t tokens, int64_t of) { put(Read{tokens, of}); };
  options_.cancelled = [this] {
    const std::lock_guard lock(mutex_);
    return closed_;
  };
}

void Generating::start() {
  if (started_ || closed_) return;
  expect_interpreter();
  started_ = true;
  std::erase_if(begun, [](const std::weak_ptr<Generating>& one) { return one.expired(); });
  begun.push_back(weak_from_this());
  writer_ = std::thread([this] { write(); });
}

void Generating::write() {
  std::optional<Generation> result;
  std::exception_ptr error;
  try {
    result = model_.generate(prompt_, options_);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  result_ = std::move(result);
  error_ = error;
  done_ = true;
  changed_.notify_all();
}

bool Generating::put(Event event) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || events_.size() < kAhead; });
  if (closed_) return false;
  events_.push_back(std::move(event));
  changed_.notify_all();
  return true;
}

std::optional<Generating::Event> Generating::take() {
  for (;;) {
    if (PyErr_CheckSignals() != 0) {
      const py::error_already_set interrupt;
      close();
      throw interrupt;
    }
    const Away away;
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kBetweenSignals, [this] { return !events_.empty() || done_ || closed_; }))
      continue;
    if (events_.empty()) return {};
    Event event = std::move(events_.front());
    events_.pop_front();
    changed_.notify_all();
    return event;
  }
}

std::optional<std::string> Generating::next() {
  start();
  while (std::optional<Event> event = take()) {
    if (auto* text = std::get_if<std::string>(&*event)) return std::move(*text);
    const Read read = std::get<Read>(*event);
    on_prompt_(read.tokens, read.of);
  }
  join();
  if (const std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
  return {};
}

void Generating::join() {
  if (!started_) return;
  const Away away;
  const std::lock_guard lock(joining_);
  if (writer_.joinable()) writer_.join();
}

void Generating::close() {
  {
    const std::lock_guard lock(mutex_);
    events_.clear();
    closed_ = true;
    changed_.notify_all();
  }
  join();
}

std::optional<Generation> Generating::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

void Generating::close_all() {
  for (const std::weak_ptr<Generating>& one : std::exchange(begun, {}))
    if (const std::shared_ptr<Generating> generating = one.lock()) generating->close();
  end_work();
}

void bind_generating(py::module_& module) {
  py::class_<Generating, std::shared_ptr<Generating>>(
      module, "Generating", "A text that is being written: an iterator over its pieces.")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__",
           [](Generating& self) {
             const std::optional<std::string> text = self.next();
             if (!text) throw py::stop_iteration();
             return str_of(*text);
           })
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Generating& self, const py::args&) { self.close(); })
      .def("close", &Generating::close,
           "Ends the work, within a step. What was written until then is the result.")
      .def(
          "text",
          [](Generating& self) {
            while (self.next()) {
            }
            const std::optional<Generation> result = self.result();
            return str_of(result ? result->text : "");
          },
          "Waits for the end. The whole text, with the pieces that were read before.")
      .def_property_readonly("result", &Generating::result,
                             "The Generation: at the end or after close(); None before.");
  module.def("_close_all", &Generating::close_all, "At the end of the interpreter.");
}

}  // namespace fovea::python
