// Where verbs put the attentions of a model with many layers and heads: the terminal, SVG, PNG, HTML, JSON.
#pragma once

#include <string>

#include "fovea/base/file.h"
#include "fovea/cli/map_output.h"
#include "fovea/look/atlas_select.h"

namespace fovea::cli {

class Arguments;

struct AtlasOutputs : PictureFiles {
  look::Selection selection;
  bool grid = false;          // all heads small also where a token is chosen, or one head is left
  bool shared_scale = false;  // one colour scale for all heads of a picture's grid

  // Somebody asked for a part of the attentions, or for all of them small.
  bool chooses() const { return selection.any() || grid; }
};

// --attention, --layers, --heads, --token, --grid, --same-scale, and those of add_picture_options.
void add_atlas_options(Arguments& app, AtlasOutputs& outputs);

// Both functions show what is selected: look::selected(atlas, outputs.selection), which throws for what is not there.
// Adds the pictures that are wanted to `files`, which the caller commits.
void stage_atlas(const look::Atlas& atlas, const AtlasOutputs& outputs, PendingFiles& files);
// For a terminal as wide as this one, in colour when standard output is a terminal that has them.
std::string terminal_atlas(const look::Atlas& atlas, const AtlasOutputs& outputs);

}  // namespace fovea::cli
