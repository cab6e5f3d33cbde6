// The flags of `fovea train`: one for each row of the table of settings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fovea/train/settings.h"

namespace fovea::cli {

class Arguments;

struct TrainRequest {
  std::vector<std::pair<const train::Setting*, train::Words>> given;  // flags, in their order
  std::string config;                                                 // a YAML file
  std::string text;                                                   // what is in it
  bool dump_config = false;

  // `settings` with what the file says, and then the flags. Throws UsageError for what they do not take.
  train::Settings over(train::Settings settings) const;
  // The settings that fit the data, since neither the file nor the flags have them.
  train::Keys open() const;
};

void add_train_options(Arguments& app, TrainRequest& request);

}  // namespace fovea::cli
