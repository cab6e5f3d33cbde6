// What a model that runs keeps its matrices in.
#pragma once

#include <cstdint>
#include <string_view>

namespace fovea::run {

enum class Precision : uint8_t { kF32, kInt8 };

constexpr std::string_view name_of(Precision precision) {
  return precision == Precision::kInt8 ? "int8" : "f32";
}

}  // namespace fovea::run
