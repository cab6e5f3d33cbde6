// What a user asks of fovea look.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fovea/cli/atlas_output.h"
#include "fovea/cli/sentences.h"

namespace fovea::cli {

struct LookRequest {
  std::string model;
  std::vector<std::string> sentence;  // one, or "-"; or a picture
  std::optional<std::string> target;
  int64_t beam_size = 5;
  bool words = false;
  bool rollout = false;  // of a Transformer over patches
  MapOutputs map;        // of one attention
  AtlasOutputs atlas;    // of many layers; their files are the map's, too

  bool files() const { return atlas.files(); }
};

void add_look_options(Arguments& app, LookRequest& r);
// Calls show(sentence) for the sentence of the command, or for those of standard input as they arrive, with an empty line between them.
// What is wrong with them is wrong usage.
void for_each_sentence(const LookRequest& r, Sentences& sentences,
                       const std::function<void(const std::string&)>& show);

}  // namespace fovea::cli
