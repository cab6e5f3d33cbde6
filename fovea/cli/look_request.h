// What a user asks of fovea look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/cli/atlas_output.h"

namespace fovea::cli {

struct LookRequest {
  std::string model;
  std::vector<std::string> sentence;  // words, as the shell parted them
  std::optional<std::string> target;
  int64_t beam_size = 5;
  bool words = false;
  MapOutputs map;      // of one attention
  AtlasOutputs atlas;  // of many layers; their files are the map's, too

  bool files() const { return atlas.files(); }
};

void add_look_options(Arguments& app, LookRequest& r);
// The sentences to look at, one or those of standard input. What is wrong with them is wrong usage.
std::vector<std::string> look_sentences(const LookRequest& r);

}  // namespace fovea::cli
