#include "fovea/metrics/exact.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/base/error.h"

namespace fovea::metrics {
namespace {

int64_t matches(std::string_view hypothesis, const std::vector<std::string_view>& references,
                bool lowercase = false) {
  return exact_counts(hypothesis, references, lowercase).matches;
}

TEST(Exact, ALineMatchesAnyOfItsReferences) {
  EXPECT_EQ(matches("나는 학생 이다 .", {"나는 학생 이다 ."}), 1);
  EXPECT_EQ(matches("b", {"a", "b", "b"}), 1);
  EXPECT_EQ(matches("c", {"a", "b"}), 0);
  EXPECT_EQ(matches("", {""}), 1);
}

TEST(Exact, OnlyWhiteSpaceAtTheEndIsOverlooked) {
  EXPECT_EQ(matches("a b \t\u00a0", {"a b"}), 1);
  EXPECT_EQ(matches("a  b", {"a b"}), 0);
  EXPECT_EQ(matches(" a b", {"a b"}), 0);
}

TEST(Exact, CaseCountsUnlessItIsNotWanted) {
  EXPECT_EQ(matches("Straße", {"STRAßE"}), 0);
  EXPECT_EQ(matches("Straße", {"STRAßE"}, true), 1);
}

TEST(Exact, TheScoreIsInPercent) {
  const std::vector<std::string> hypotheses = {"a", "b", "c"}, references = {"a", "x", "c"};
  EXPECT_DOUBLE_EQ(exact(hypotheses, references), 200.0 / 3);
  EXPECT_EQ(exact({}, {}), 0);
  EXPECT_THROW(exact(hypotheses, {}), Error);
}

}  // namespace
}  // namespace fovea::metrics
