// What verbs that read lines with an encoder have in common.
#pragma once

#include <string>

#include "fovea/decode/read_lines.h"

namespace fovea::cli {

class Arguments;

struct ReadingOptions {
  std::string model, input = "-";
  decode::ReadOptions read;
  bool stats = false;
};

// -m, --input, --batch, --crop, --stats, --threads.
void add_reading_options(Arguments& app, ReadingOptions& options);

}  // namespace fovea::cli
