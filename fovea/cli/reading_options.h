// What verbs that read lines with an encoder have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fovea/decode/read_lines.h"

namespace fovea::cli {

struct ReadingOptions {
  std::string model, input = "-";
  decode::ReadOptions read;
  bool stats = false;
};

// -m, --input, --batch, --crop, --stats, --threads.
void add_reading_options(CLI::App& app, ReadingOptions& options);

}  // namespace fovea::cli
