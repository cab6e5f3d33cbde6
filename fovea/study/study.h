// The classic claims as experiments. A study trains some models that differ in one thing, with the same data and the same number of
// updates, tests them on the same unseen lines, and says what came out: a table, a plot, a sentence.
// To add one: NAME.cc with its Kind, a row in studies.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/look/plot.h"
#include "fovea/study/measure.h"
#include "fovea/study/parts.h"
#include "fovea/study/table_text.h"
#include "fovea/train/run_state.h"
#include "fovea/train/settings.h"

namespace fovea::study {

// One model of a study. What it is trained on, for how long and where is the study's; the rest of the settings is its own.
inline constexpr const char* kFromCorpus =
    "corpus";  // as guided_alignment: the study's own links, where it has any

struct Trial {
  std::string name;  // in the table, and of its directory
  train::Settings settings;
  double cost = 1;  // the time of an update, beside those of the others
};

// What became of it.
struct Outcome {
  Trial trial;
  train::RunState state;      // where its training ended
  std::vector<Counts> lines;  // of each test pair
};

// What came out.
struct Report {
  Table table;
  size_t words = 1;  // columns of the table that are no numbers
  look::Plot plot;
  std::vector<std::string> findings;  // sentences
  nlohmann::ordered_json figures;     // by trial: what the table shows, and more
};

struct Kind {
  const char* name;
  const char* what;
  data::CorpusOptions corpus;  // of the built-in grammar
  int64_t updates;             // of each trial; in kMinutes all trials are done on two cores
  std::vector<Trial> (*trials)();
  Report (*report)(const Parts& parts, std::span<const Outcome> outcomes);
};
inline constexpr double kMinutes = 12;

std::span<const Kind> study_table();
// Throws for an unknown name, and names the nearest.
const Kind& study_named(std::string_view name);

}  // namespace fovea::study
