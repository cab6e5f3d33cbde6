// Where a model looked in pictures, as one HTML file that needs nothing else: the picture with the attention of one word over it, all words
// (or layers and heads) small beside it. Pointing at a word shows its heat, pointing at a place says which words looked there. What is
// looked at is kept in the address's fragment. Mouse and keyboard; light and dark; narrow windows. Any label is safe.
#pragma once

#include <span>
#include <string>

#include "fovea/look/picture_map.h"

namespace fovea::look {

// At least one map. Weights are exact or rounded as html.h says.
std::string to_html(std::span<const PictureMap> maps);
inline std::string to_html(const PictureMap& map) { return to_html({&map, 1}); }

}  // namespace fovea::look
