// What the public functions promise: whatever goes wrong in here is a fovea::Error.
#pragma once

#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "fovea/base/error.h"

namespace fovea::library {

// What f() returns. Errors of the system and of memory become Errors; what a caller's own callback throws passes through.
template <typename F>
auto guarded(const char* who, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    fail(who, "there is not enough memory: use less text at a time, or a smaller model");
  } catch (const std::length_error&) {
    fail(who, "there is not enough memory: use less text at a time, or a smaller model");
  } catch (const std::system_error& error) {  // those of files among them
    fail(who, "{}", error.what());
  }
}

}  // namespace fovea::library
