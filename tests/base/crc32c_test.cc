#include "fovea/base/crc32c.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

TEST(Crc32c, HasTheValueOfTheStandard) { EXPECT_EQ(crc32c("123456789"), 0xE3069283u); }

TEST(Crc32c, InstructionAndTablesAgreeAndPartsMakeTheWhole) {
  Random random(1);
  std::vector<std::byte> bytes(3000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  for (size_t begin = 0; begin < 9; ++begin)
    for (const size_t length : {0, 1, 7, 8, 9, 63, 64, 1000, 2991}) {
      const auto part = std::span<const std::byte>(bytes).subspan(begin, length);
      const uint32_t whole = crc32c(part);
      EXPECT_EQ(whole, ref::crc32c(part)) << begin << "," << length;
      EXPECT_EQ(crc32c(part.subspan(length / 3), crc32c(part.first(length / 3))), whole);
    }
}

}  // namespace
}  // namespace fovea
