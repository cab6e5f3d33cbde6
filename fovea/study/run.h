// Runs a study in a directory.
//   DIR/data/         the pairs: train, valid, test
//   DIR/runs/NAME/    each trial, as `fovea train` writes it
//   DIR/study.json    all figures; DIR/table.md; DIR/STUDY.svg and .png
// Stopped or killed, the same call goes on where it was; files of results appear when they are complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fovea/study/progress.h"
#include "fovea/study/study.h"
#include "fovea/train/loop.h"

namespace fovea::study {

struct Options {
  std::string out;
  // About how long it takes on two cores: the number of updates grows with it. Where they are slower, trials are cut short in time,
  // and a finding says so.
  double minutes = kMinutes;
  std::string source, target;  // the user's own pairs, line by line; empty: the built-in grammar
  int64_t seed = 1, threads = 0;
};

// Nothing where `stop` said so. Throws where the directory holds another study, or cannot be written.
std::optional<Report> run(const Kind& kind, const Options& options, const train::StopRequested& stop = {},
                          Progress* progress = nullptr);

}  // namespace fovea::study
