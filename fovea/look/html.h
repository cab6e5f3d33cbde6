// A map as one HTML file that needs nothing else: no network, no other file. A heat map, the links between
// words, and the distribution of one row; every head and their mean. Mouse and keyboard; light and dark. Any
// label is safe.
#pragma once

#include <string>

#include "fovea/look/map.h"

namespace fovea::look {

// Throws for more than 16 million weights, which make a page too large to open.
std::string to_html(const Map& map);

}  // namespace fovea::look
