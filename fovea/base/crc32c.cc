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

using Update = uint32_t (*)(std::span<const std::byte> bytes, uint32_t crc);

uint32_t by_tables(std::span<const std::byte> bytes, uint32_t crc) {
  while (bytes.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTable[7 - k][word >> (8 * k) & 255];
    bytes = bytes.subspan(8);
  }
  for (std::byte byte : bytes) crc = (crc >> 8) ^ kTable[0][(crc ^ std::to_integer<uint32_t>(byte)) & 255];
  return crc;
}

#ifdef __x86_64__
// The instruction that SSE4.2 has for this very polynomial.
__attribute__((target("sse4.2"))) uint32_t by_instruction(std::span<const std::byte> bytes, uint32_t crc) {
  uint64_t wide = crc;
  while (bytes.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
    bytes = bytes.subspan(8);
  }
  crc = static_cast<uint32_t>(wide);
  for (std::byte byte : bytes) crc = __builtin_ia32_crc32qi(crc, std::to_integer<uint8_t>(byte));
  return crc;
}

Update best() { return __builtin_cpu_supports("sse4.2") ? by_instruction : by_tables; }
#else
Update best() { return by_tables; }
#endif

}  // namespace

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) {
  static const Update update = best();
  return ~update(bytes, ~before);
}

namespace ref {
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before) { return ~by_tables(bytes, ~before); }
}  // namespace ref

}  // namespace fovea
