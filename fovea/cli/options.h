// What the verbs' options have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fovea/base/error.h"

namespace fovea::cli {

// Parses the arguments of a verb. False where the user asked for --help, which is then printed: the verb is
// done, and succeeded. Wrong usage throws CLI::ParseError.
bool parse(CLI::App& app, int argc, char** argv);

// --threads N: what parallel work uses from now on; 0 is one per core.
void add_threads(CLI::App& app);

// Wrong usage, unless ok.
template <typename... Args>
void expect_usage(bool ok, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok)
    throw CLI::ValidationError(fmt::format(format, std::forward<Args>(args)...),
                               CLI::ExitCodes::ValidationError);
}

// What find() returns. What it has against its arguments (a name that is not in its table) is wrong usage, not a failure.
template <typename F>
auto named(F&& find) -> decltype(find()) {
  try {
    return find();
  } catch (const Error& error) {
    const std::string message = error.what();
    throw CLI::ValidationError(message.substr(message.find("] ") + 2), CLI::ExitCodes::ValidationError);
  }
}

}  // namespace fovea::cli
