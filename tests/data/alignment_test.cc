#include "fovea/data/alignment.h"

#include <gtest/gtest.h>

namespace fovea::data {
namespace {

using Links = std::vector<Link>;

TEST(Alignment, LinksAreReadAndWritten) {
  EXPECT_EQ(parse_links("0-0 1-2 12?3"), (Links{{0, 0}, {1, 2}, {12, 3, false}}));
  EXPECT_EQ(parse_links(" 0p1\t2-2 "), (Links{{0, 1, false}, {2, 2}}));
  EXPECT_EQ(parse_links(""), Links{});
  EXPECT_EQ(parse_links("  "), Links{});
  EXPECT_EQ(format_links(Links{{0, 0}, {1, 2}, {12, 3, false}}), "0-0 1-2 12?3");
  EXPECT_EQ(format_links({}), "");
}

TEST(Alignment, OtherTextIsNone) {
  for (const char* text :
       {"0", "0-", "-1", "0--1", "0-+1", "a-b", "0-0,", "0-0 1", "1.5-2", "0-99999999999", "0:1", "0-1-2"})
    EXPECT_EQ(parse_links(text), std::nullopt) << text;
}

}  // namespace
}  // namespace fovea::data
