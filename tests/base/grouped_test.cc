#include "fovea/base/grouped.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Grouped, ACommaStandsBeforeEveryThreeDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(29000), "29,000");
  EXPECT_EQ(grouped(123456789), "123,456,789");
  EXPECT_EQ(grouped(-999), "-999");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(INT64_MIN), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace fovea
