// The JSON header of a .safetensors file, read without building a tree: memory stays near the header's own
// size, nesting is bounded, and a key that occurs twice is an error.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "fovea/tensor/safetensors.h"

namespace fovea {

struct SafetensorsHeader {
  std::map<std::string, Safetensors::Entry> tensors;
  Metadata metadata;
};

SafetensorsHeader parse_safetensors_header(std::string_view json, std::string_view source);

}  // namespace fovea
