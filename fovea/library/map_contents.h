// What a fovea::Map holds.
#pragma once

#include <variant>

#include "fovea/fovea.h"
#include "fovea/look/atlas.h"
#include "fovea/look/picture_map.h"

namespace fovea {

// One attention in one place, those of many layers, or those over a picture.
struct Map::Contents {
  std::variant<look::Map, look::Atlas, look::PictureMap> what;

  static Map map_of(Contents contents) { return Map(std::make_shared<const Contents>(std::move(contents))); }
};

namespace library {

// Throws where labels and weights do not fit each other.
Map make_map(look::Map map);
Map make_map(look::Atlas atlas);
Map make_map(look::PictureMap map);

}  // namespace library
}  // namespace fovea
