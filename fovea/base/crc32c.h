// CRC32C (Castagnoli: the polynomial of iSCSI, ext4 and LevelDB), reflected, all ones before and after:
// crc32c("123456789") = 0xE3069283.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fovea {

// Of `bytes` after what `before` is the checksum of: crc32c(b, crc32c(a)) = crc32c(a then b).
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);

inline uint32_t crc32c(std::string_view text, uint32_t before = 0) {
  return crc32c(std::as_bytes(std::span(text.data(), text.size())), before);
}

namespace ref {  // by tables, on any CPU
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t before = 0);
}

}  // namespace fovea
