// The colours of a weight, the same in the terminal, in SVG and in HTML: one hue, lightness falling in even
// steps (OKLCH, hue 255, lightness 0.965 to 0.29), so that equal differences in weight look equal.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "fovea/base/error.h"

namespace fovea::look {

struct Color {
  uint8_t red = 0, green = 0, blue = 0;
  std::string hex() const { return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue); }
};

inline constexpr std::array<Color, 17> kScale = {{
    {0xed, 0xf4, 0xfd},
    {0xd5, 0xe7, 0xff},
    {0xbe, 0xda, 0xff},
    {0xa6, 0xcd, 0xff},
    {0x8f, 0xc0, 0xfe},
    {0x76, 0xb2, 0xfe},
    {0x65, 0xa4, 0xf4},
    {0x56, 0x97, 0xe8},
    {0x49, 0x8a, 0xda},
    {0x3f, 0x7d, 0xc9},
    {0x37, 0x70, 0xb7},
    {0x32, 0x64, 0xa3},
    {0x2e, 0x59, 0x8e},
    {0x2b, 0x4d, 0x78},
    {0x29, 0x42, 0x62},
    {0x1d, 0x37, 0x57},
    {0x10, 0x2c, 0x4d},
}};

// For a share in [0, 1] of the largest weight. On a dark background the scale runs the other way: the larger,
// the brighter.
inline Color color_of(float share, bool dark = false) {
  const float x = std::clamp(dark ? 1.0f - share : share, 0.0f, 1.0f) * static_cast<float>(kScale.size() - 1);
  const auto low = std::min(static_cast<size_t>(x), kScale.size() - 2);
  const float part = x - static_cast<float>(low);
  const auto mix = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(static_cast<float>(a) + part * static_cast<float>(b - a)));
  };
  const Color &a = kScale[low], &b = kScale[low + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

// Curves and bars of a plot, in this order. The two nearest of them differ by 0.14 in OKLab for normal sight and for
// each of the three kinds of colour blindness (Machado et al. 2009, full severity).
inline constexpr std::array<Color, 6> kSeriesColors = {{
    {0x2b, 0x6c, 0xb0},
    {0xe8, 0x59, 0x0c},
    {0x42, 0xb4, 0xc9},
    {0xa3, 0x3d, 0x59},
    {0x34, 0x2a, 0x80},
    {0x6f, 0x18, 0x12},
}};
inline const Color& series_color(size_t number) { return kSeriesColors[number % kSeriesColors.size()]; }

// Heads that are shown together, in this order: as light as each other, so that none stands out, and readable on white
// and on a dark page.
inline constexpr std::array<Color, 12> kHeadColors = {{
    {0x3b, 0x7d, 0xd8},
    {0xe8, 0x73, 0x0c},
    {0x2a, 0x9d, 0x5c},
    {0xd6, 0x33, 0x6c},
    {0x7c, 0x5c, 0xd6},
    {0x12, 0xa5, 0xb5},
    {0xb8, 0x86, 0x0b},
    {0xc4, 0x4f, 0xc0},
    {0x6b, 0x8e, 0x23},
    {0xa0, 0x52, 0x2d},
    {0x5f, 0x74, 0x88},
    {0xe0, 0x53, 0x3d},
}};

// Dark text is the readable one on this colour.
inline bool wants_dark_text(const Color& c) { return 299 * c.red + 587 * c.green + 114 * c.blue > 140'000; }

}  // namespace fovea::look
