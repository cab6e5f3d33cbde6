// One model of a study, and what became of it.
#pragma once

#include <string>
#include <vector>

#include "fovea/study/measure.h"
#include "fovea/study/measure_pictures.h"
#include "fovea/train/run_state.h"
#include "fovea/train/settings.h"

namespace fovea::study {

inline constexpr const char* kFromCorpus =
    "corpus";  // as guided_alignment: the study's own links, where it has any

// What it is trained on, for how long and where is the study's; the rest of the settings is its own. Of a study of labelled pictures,
// corpus_size says how many it learns from; 0: all there are.
struct Trial {
  std::string name;  // in the table, and of its directory
  train::Settings settings;
  double cost = 1;  // the time of an update, beside those of the others
};

// Of what tests find, an outcome has what belongs to the study's subject.
struct Outcome {
  Trial trial;
  train::RunState state;           // where its training ended
  int64_t parameters = 0;          // numbers that it learned
  std::vector<Counts> lines = {};  // of each test pair
  LabelQuality labels = {};        // of labelled pictures
  CaptionQuality captions = {};    // of captioned pictures

  double milliseconds_per_update() const {
    return 1000 * state.seconds / static_cast<double>(state.update > 0 ? state.update : 1);
  }
};

}  // namespace fovea::study
