// Small letters of capital ones, by Unicode's simple mapping and U+0130.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace fovea {

// The small letters of a character, which is itself where it has none: one, or for U+0130 two.
struct SmallLetters {
  uint32_t first, second = 0;  // second: 0 where there is none
};
SmallLetters small_letters(uint32_t code);

// The row of a sorted table whose first to last hold `code`; null where none does.
template <typename Row, size_t N>
const Row* find_row(const Row (&table)[N], uint32_t code) {
  const Row* after = std::upper_bound(std::begin(table), std::end(table), code,
                                      [](uint32_t wanted, const Row& row) { return wanted < row.first; });
  return after != std::begin(table) && code <= std::prev(after)->last ? std::prev(after) : nullptr;
}

}  // namespace fovea
