// Where verbs that look put an attention map: the terminal, SVG, PNG, HTML, JSON.
#pragma once

#include <functional>
#include <string>

#include "fovea/base/file.h"
#include "fovea/look/map.h"

namespace fovea::cli {

class Arguments;

// Paths of the files that are wanted; empty: not wanted.
struct PictureFiles {
  std::string svg, png, html, json;

  bool files() const { return !svg.empty() || !png.empty() || !html.empty() || !json.empty(); }
};

// --svg, --png, --html.
void add_drawing_options(Arguments& app, PictureFiles& wanted);
// The same, and --json.
void add_picture_options(Arguments& app, PictureFiles& wanted);

// How each kind of file is made; called for those that are wanted.
struct Drawers {
  std::function<std::string()> svg, html, json;
};
void stage_pictures(const PictureFiles& wanted, const Drawers& drawers, PendingFiles& files);

struct MapOutputs : PictureFiles {
  bool show = false;
  int head = look::kEveryHead;  // what the terminal and pictures show; HTML and JSON hold all

  bool any() const { return show || files(); }
};

// --head.
void add_head_option(Arguments& app, MapOutputs& outputs);
// --svg, --png, --html, --json, --head.
void add_map_options(Arguments& app, MapOutputs& outputs);

// Adds the pictures that are wanted to `files`, which the caller commits.
void stage_map(const look::Map& map, const MapOutputs& outputs, PendingFiles& files);
// The map for a terminal as wide as this one, in colour when standard output is a terminal that has them.
std::string terminal_map(const look::Map& map, const MapOutputs& outputs);

}  // namespace fovea::cli
