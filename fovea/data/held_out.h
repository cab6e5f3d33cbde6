// Which lines are kept from training. Equal lines have one place, whatever stands around them, so that no line is on both sides.
#pragma once

#include <string_view>

#include "fovea/base/crc32c.h"
#include "fovea/base/random.h"

namespace fovea::data {

// In [0, 1), evenly spread: a line is held out where this is less than the share to be held out.
inline float place_of(std::string_view line) { return uniform_of(philox(0, crc32c(line), line.size())[0]); }

}  // namespace fovea::data
