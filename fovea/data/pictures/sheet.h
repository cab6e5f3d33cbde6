// Many small pictures in one, to look at.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/data/picture.h"

namespace fovea::data {

// RGB: rows of `columns` pictures, each pixel `scale` x `scale` large, with a grey line of 2 between them. All pictures have one size.
Picture contact_sheet(std::span<const Picture> pictures, int64_t columns, int64_t scale);

}  // namespace fovea::data
