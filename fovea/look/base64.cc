#include "fovea/look/base64.h"

#include <cstdint>
#include <string_view>

namespace fovea::look {

std::string base64(const std::byte* bytes, size_t n) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((n + 2) / 3 * 4);
  for (size_t i = 0; i < n; i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < n ? std::to_integer<uint32_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out += i + j > n ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return out;
}

}  // namespace fovea::look
