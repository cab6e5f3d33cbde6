// Errors that a caller or the world can cause. The library throws Error and never aborts.
// A message is one line: [who] what was met, what was expected, what to do.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "fovea/base/exception.h"

namespace fovea {

// Throws Error("[who] message").
template <typename... Args>
[[noreturn]] void fail(std::string_view who, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format("[{}] {}", who, fmt::format(format, std::forward<Args>(args)...)));
}

// check(ok, "softmax", "a scalar has no rows") throws unless ok. The arguments are only formatted on failure.
template <typename... Args>
void check(bool ok, std::string_view who, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) [[unlikely]]
    fail(who, format, std::forward<Args>(args)...);
}

}  // namespace fovea
