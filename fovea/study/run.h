// Runs a study in a directory.
//   DIR/data/         the data, where trials read it from files: of pairs train, valid, test
//   DIR/runs/NAME/    each trial, as `fovea train` writes it
//   DIR/study.json    all figures; DIR/table.md; DIR/STUDY.svg and .png
// Stopped or killed, the same call goes on where it was; files of results appear when they are complete.
#pragma once

#include <optional>

#include "fovea/study/options.h"
#include "fovea/study/progress.h"
#include "fovea/study/study.h"
#include "fovea/train/loop.h"

namespace fovea::study {

// Nothing where `stop` said so. Throws where the directory holds another study, or cannot be written, and for data that the study does not take.
std::optional<Report> run(const Kind& kind, const Options& options, const train::StopRequested& stop = {},
                          Progress* progress = nullptr);

}  // namespace fovea::study
