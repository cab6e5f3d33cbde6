// IEEE half precision, subnormals, infinities and NaN included.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fovea {

inline float half_to_float(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  float value = 0.0f;
  if (exponent == 31)
    value = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(fraction), -24);
  else
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return half & 0x8000 ? -value : value;
}

// Rounded to the nearest, ties to even; what is too large becomes infinity.
inline uint16_t float_to_half(float x) {
  constexpr uint32_t kInfinity = 0x7f800000, kTooLarge = 0x477ff000, kLeastNormal = 0x38800000;
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  uint32_t half = 0;
  if (size > kInfinity)
    half = 0x7e00;  // NaN
  else if (size >= kTooLarge)
    half = 0x7c00;
  else if (size < kLeastNormal)  // 0.5 is so large that the sum is rounded where a subnormal half ends
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  else
    half = (size - (uint32_t{112} << 23) + 0xfff + (size >> 13 & 1)) >> 13;
  return static_cast<uint16_t>(sign | half);
}

}  // namespace fovea
