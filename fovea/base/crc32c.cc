#include "fovea/base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are read as one little-endian number");

// kTable[k][b]: what byte b adds to the checksum when k more bytes follow it ("slicing by 8").
using Table = std::array<std::array<uint32_t, 256>, 8>;

constexpr Table make_table() {
  constexpr uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41 with its bits reversed
  Table table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? kPolynomial : 0);
    table[0][b] = crc;
  }
  for (size_t k = 1; k < table.size(); ++k)
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t crc = table[k - 1][b];
      table[k][b] = (crc >> 8) ^ table[0][crc & 255];
    }
  return table;
}
constexpr Table kTable = make_table();

}  // namespace

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t crc = ~before;
  while (bytes.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTable[7 - k][word >> (8 * k) & 255];
    bytes = bytes.subspan(8);
  }
  for (std::byte byte : bytes) crc = (crc >> 8) ^ kTable[0][(crc ^ std::to_integer<uint32_t>(byte)) & 255];
  return ~crc;
}

}  // namespace fovea
