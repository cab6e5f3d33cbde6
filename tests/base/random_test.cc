#include "fovea/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea {
namespace {

// The known answers of the Random123 library for philox4x32-10.
TEST(Philox, GivesThePublishedNumbers) {
  const std::array<uint32_t, 4> zeros = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  EXPECT_EQ(philox(0, 0, 0), zeros);
  const std::array<uint32_t, 4> ones = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  EXPECT_EQ(philox(~0ull, ~0ull, ~0ull), ones);
  const std::array<uint32_t, 4> pi = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88), pi);
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(7);
  const int n = 100'000;
  double uniform = 0, normal = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const float u = random.uniform(), z = random.normal();
    ASSERT_TRUE(0 <= u && u < 1);
    uniform += u;
    normal += z;
    squares += z * z;
  }
  EXPECT_NEAR(uniform / n, 0.5, 0.005);
  EXPECT_NEAR(normal / n, 0, 0.015);
  EXPECT_NEAR(squares / n, 1, 0.02);
}

TEST(Random, StreamsOfOneSeedDiffer) {
  Random a(1, 0), b(1, 1), c(1, 0);
  EXPECT_NE(a.bits(), b.bits());
  Random d(1, 0);
  EXPECT_EQ(c.bits(), d.bits());
}

}  // namespace
}  // namespace fovea
