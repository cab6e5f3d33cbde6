// Large numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace fovea {

// 29000 as "29,000".
inline std::string grouped(int64_t n) {
  std::string digits = std::to_string(n);
  const size_t first = n < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

}  // namespace fovea
