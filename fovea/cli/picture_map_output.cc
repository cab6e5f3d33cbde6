#include "fovea/cli/picture_map_output.h"

#include "fovea/cli/terminal.h"
#include "fovea/look/json.h"
#include "fovea/look/picture_html.h"
#include "fovea/look/picture_svg.h"
#include "fovea/look/picture_terminal.h"

namespace fovea::cli {

void stage_picture_maps(std::span<const look::PictureMap> drawn, std::span<const look::PictureMap> held,
                        const PictureFiles& wanted, PendingFiles& files) {
  stage_pictures(wanted,
                 {.svg = [&] { return look::to_svg(drawn); },
                  .html = [&] { return look::to_html(held); },
                  .json = [&] { return look::to_json(held.front()); }},
                 files);
}

std::string terminal_picture_map(look::PictureMap map) {
  map.atlas.title.clear();  // it is what stands above it
  return look::to_terminal(map, {.color = terminal_color(), .max_width = terminal_width()});
}

}  // namespace fovea::cli
