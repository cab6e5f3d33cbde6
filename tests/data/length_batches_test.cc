#include "fovea/data/length_batches.h"

#include <gmock/gmock.h>

namespace fovea::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Lengths = std::vector<int64_t>;

TEST(LengthBatches, TheLongestComeFirstAndEqualsKeepTheirOrder) {
  EXPECT_THAT(longest_first(Lengths{2, 7, 2, 9, 7}), ElementsAre(3, 1, 4, 0, 2));
  EXPECT_THAT(longest_first(Lengths{}), IsEmpty());
}

TEST(LengthBatches, HaveAtMostSoManyRows) {
  EXPECT_THAT(length_batches(Lengths{1, 2, 3, 4, 5}, {.rows = 2}),
              ElementsAre(ElementsAre(4, 3), ElementsAre(2, 1), ElementsAre(0)));
  EXPECT_THAT(length_batches(Lengths{}, {.rows = 2}), IsEmpty());
}

TEST(LengthBatches, HaveAtMostSoManyPlacesPaddingIncluded) {
  EXPECT_THAT(length_batches(Lengths{10, 4, 5, 1, 1, 1}, {.rows = 100, .places = 10}),
              ElementsAre(ElementsAre(0), ElementsAre(2, 1), ElementsAre(3, 4, 5)));
}

TEST(LengthBatches, ASequenceThatFitsNowhereIsAlone) {
  EXPECT_THAT(length_batches(Lengths{3, 50, 60, 0}, {.rows = 4, .places = 6}),
              ElementsAre(ElementsAre(2), ElementsAre(1), ElementsAre(0, 3)));
}

}  // namespace
}  // namespace fovea::data
