// Where a model looked in pictures, as an SVG picture: each picture, then the picture with each attention laid over it. The picture is
// embedded, so that nothing is loaded from anywhere; small ones keep sharp pixels. Any label is safe.
#pragma once

#include <span>
#include <string>

#include "fovea/look/picture_map.h"

namespace fovea::look {

// One map below the other. Throws for more than 2,000 attentions, or 400,000 places in all of them.
std::string to_svg(std::span<const PictureMap> maps);
inline std::string to_svg(const PictureMap& map) { return to_svg({&map, 1}); }

}  // namespace fovea::look
