// The classic claims as experiments. A study trains some models that differ in one thing, with the same data and the same number of
// updates, tests them on the same unseen data, and says what came out: a table, a plot, a sentence.
// To add one: NAME.cc with its Kind, a row in studies.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/look/plot.h"
#include "fovea/study/subject.h"
#include "fovea/study/table_text.h"
#include "fovea/study/trial.h"

namespace fovea::study {

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
  OpenSubject subject;   // the data, and how models are tested
  const char* own_data;  // the two files of --data: "SRC TRG"; null: it takes none
  int64_t updates;       // of each trial; in kMinutes all trials are done on two cores
  std::vector<Trial> (*trials)();
  Report (*report)(std::span<const Outcome> outcomes);
};

std::span<const Kind> study_table();
// Throws for an unknown name, and names the nearest.
const Kind& study_named(std::string_view name);

}  // namespace fovea::study
