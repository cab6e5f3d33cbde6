// What the verbs' options have in common.
#pragma once

#include <string>

#include "fovea/base/error.h"
#include "fovea/cli/arguments.h"

namespace fovea::cli {

// Parses the arguments of a verb. False where the user asked for --help, which is then printed: the verb is
// done, and succeeded. Wrong usage throws UsageError.
bool parse(Arguments& app, int argc, char** argv);

// --threads N: what parallel work uses from now on; 0 is one per core.
void add_threads(Arguments& app);

// Wrong usage, unless ok.
template <typename... Args>
void expect_usage(bool ok, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

// What find() returns. What it has against its arguments (a name that is not in its table) is wrong usage, not a failure.
template <typename F>
auto named(F&& find) -> decltype(find()) {
  try {
    return find();
  } catch (const Error& error) {
    const std::string message = error.what();
    throw UsageError(message.substr(message.find("] ") + 2));
  }
}

}  // namespace fovea::cli
