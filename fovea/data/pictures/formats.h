// The formats that read.h knows, one file each.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fovea/data/pictures/read.h"

namespace fovea::data {

Picture parse_png(std::span<const std::byte> bytes, std::string_view name, Alpha alpha, std::string_view who);
Picture parse_jpeg(std::span<const std::byte> bytes, std::string_view name, std::string_view who);

}  // namespace fovea::data
