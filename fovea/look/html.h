// An atlas, or a map, as one HTML file that needs nothing else: no network, no other file. Three views: links between
// tokens with a colour for each head, all heads as thumbnails, and a heat map; beside them the weights of one token.
// With a chosen row it opens at the head in which that row says most (telling_head.h). It saves what it shows as SVG and PNG. What is
// looked at is kept in the address's fragment. Mouse and keyboard; light and dark. Any label is safe.
#pragma once

#include <string>

#include "fovea/look/atlas.h"

namespace fovea::look {

// Up to 4 million weights are exact. More are rounded to a byte b for (b / 255)^2, which the page says; a weight that is
// not 0 stays so. Throws for more than 48 million weights, which make a page too large to open.
std::string to_html(const Atlas& atlas);
// Opens with the heat map.
std::string to_html(const Map& map);

}  // namespace fovea::look
