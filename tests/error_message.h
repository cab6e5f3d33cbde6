// What an error says.
#pragma once

#include <string>

#include "fovea/base/error.h"

namespace fovea {

// The message of the Error that f throws, or "no error".
template <typename F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace fovea
