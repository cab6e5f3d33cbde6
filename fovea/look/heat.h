// How attention lies over a picture: what is not looked at is darkened, what is looked at most glows and stays visible. The same in the
// terminal, in SVG and in HTML.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/look/colors.h"

namespace fovea::look {

struct Heat {
  Color color;
  float opacity = 0;
};

// Even steps of a share from 0 to 1; what lies between is mixed.
inline constexpr std::array<Heat, 5> kHeat = {{
    {{0x0b, 0x10, 0x1c}, 0.62f},
    {{0x3a, 0x14, 0x4a}, 0.56f},
    {{0xb0, 0x2a, 0x4a}, 0.50f},
    {{0xf2, 0x7d, 0x1a}, 0.42f},
    {{0xff, 0xe8, 0x7a}, 0.40f},
}};

// For a share of the largest weight.
inline Heat heat_of(float share) {
  const float x = std::clamp(share, 0.0f, 1.0f) * static_cast<float>(kHeat.size() - 1);
  const size_t low = std::min(static_cast<size_t>(x), kHeat.size() - 2);
  const float part = x - static_cast<float>(low);
  const auto mix = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(static_cast<float>(a) + part * static_cast<float>(b - a)));
  };
  const Heat &a = kHeat[low], &b = kHeat[low + 1];
  return {{mix(a.color.red, b.color.red), mix(a.color.green, b.color.green), mix(a.color.blue, b.color.blue)},
          a.opacity + part * (b.opacity - a.opacity)};
}

inline Color laid_over(const Color& pixel, const Heat& heat) {
  const auto mix = [&](uint8_t under, uint8_t over) {
    return static_cast<uint8_t>(std::lround(static_cast<float>(under) * (1 - heat.opacity) +
                                            static_cast<float>(over) * heat.opacity));
  };
  return {mix(pixel.red, heat.color.red), mix(pixel.green, heat.color.green),
          mix(pixel.blue, heat.color.blue)};
}

// Hard attention: around the place that was read, and over all others.
inline constexpr Color kFrame = {0xff, 0x92, 0x2b};
inline constexpr Heat kUnread = {{0x0b, 0x10, 0x1c}, 0.55f};

}  // namespace fovea::look
