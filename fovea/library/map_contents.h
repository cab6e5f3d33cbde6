// What a fovea::Map holds.
#pragma once

#include <variant>

#include "fovea/fovea.h"
#include "fovea/look/atlas.h"

namespace fovea {

// One attention in one place, or those of many layers.
struct Map::Contents {
  std::variant<look::Map, look::Atlas> what;

  static Map map_of(Contents contents) { return Map(std::make_shared<const Contents>(std::move(contents))); }
};

namespace library {

// Throws where labels and weights do not fit each other.
Map make_map(look::Map map);
Map make_map(look::Atlas atlas);

}  // namespace library
}  // namespace fovea
