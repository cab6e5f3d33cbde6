// A text that is being written: Python iterates over its pieces, and a thread of its own writes ahead of it.
#pragma once

#include <pybind11/pybind11.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "fovea/fovea.h"

namespace fovea::python {

namespace py = pybind11;

// The writing thread never touches Python: it needs no GIL, and can be joined with or without it. Functions are called with the GIL, from
// any number of threads.
class Generating : public std::enable_shared_from_this<Generating> {
 public:
  // on_prompt: a function of (tokens, of), or None. It is called by the thread that iterates.
  Generating(Model model, std::string prompt, GenerateOptions options, py::object on_prompt);
  ~Generating() { close(); }

  // The next piece; nothing at the end. The first call begins the work. Throws what the library threw, once, and KeyboardInterrupt.
  std::optional<std::string> next();
  // Ends the work, which takes at most a step. What was written until then is the result.
  void close();
  // Nothing before the end.
  std::optional<Generation> result() const;

  // At the end of the interpreter, which no thread may outlive: ends these and all other work.
  static void close_all();

 private:
  struct Read {
    int64_t tokens, of;
  };
  using Event = std::variant<std::string, Read>;

  void start();
  void write();
  bool put(Event event);        // false: it was closed
  std::optional<Event> take();  // nothing after the last
  void join();

  const Model model_;
  const std::string prompt_;
  GenerateOptions options_;
  const py::object on_prompt_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Event> events_;
  bool closed_ = false, done_ = false;
  std::optional<Generation> result_;
  std::exception_ptr error_;

  bool started_ = false;
  std::mutex joining_;
  std::thread writer_;
};

}  // namespace fovea::python
