// Where verbs that look put an attention map: the terminal, SVG, HTML, JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fovea/base/file.h"
#include "fovea/look/map.h"

namespace fovea::cli {

struct MapOutputs {
  bool show = false;
  std::string svg, html, json;  // paths; empty: not wanted

  bool any() const { return show || !svg.empty() || !html.empty() || !json.empty(); }
};

// --show, --svg, --html, --json.
void add_map_options(CLI::App& app, MapOutputs& outputs);

// Adds the pictures that are wanted to `files`, which the caller commits.
void stage_map(const look::Map& map, const MapOutputs& outputs, PendingFiles& files);
// The map for a terminal as wide as this one, in colour when standard output is a terminal that has them.
std::string terminal_map(const look::Map& map);

}  // namespace fovea::cli
