// Where verbs put what a model looked at in pictures: the terminal, SVG, PNG, HTML, JSON.
#pragma once

#include <span>
#include <string>

#include "fovea/base/file.h"
#include "fovea/cli/map_output.h"
#include "fovea/look/picture_map.h"

namespace fovea::cli {

// Adds the files that are wanted to `files`, which the caller commits: SVG and PNG of `drawn`, HTML and JSON of `held`, which may have
// more. JSON is of one picture.
void stage_picture_maps(std::span<const look::PictureMap> drawn, std::span<const look::PictureMap> held,
                        const PictureFiles& wanted, PendingFiles& files);

// For a terminal as wide as this one, in colour when standard output is a terminal that has them; without its title.
std::string terminal_picture_map(look::PictureMap map);

}  // namespace fovea::cli
