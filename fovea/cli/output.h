// Results: standard output, where a reader who stops early is no failure and a full disk is one.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace fovea::cli {

// Nobody reads standard output any more: the verb stops, and the command ends quietly with success.
struct OutputClosed {};

// Buffered; flush_output() sends what is held back. Both throw OutputClosed, or Error when the output cannot
// be written.
void write_output(std::string_view text);
void flush_output();

template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  write_output(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace fovea::cli
