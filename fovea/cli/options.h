// What the verbs' options have in common.
#pragma once

#include <CLI/CLI.hpp>

namespace fovea::cli {

// Parses the arguments of a verb. False where the user asked for --help, which is then printed: the verb is
// done, and succeeded. Wrong usage throws CLI::ParseError.
bool parse(CLI::App& app, int argc, char** argv);

// --threads N: what parallel work uses from now on; 0 is one per core.
void add_threads(CLI::App& app);

}  // namespace fovea::cli
