#include "fovea/metrics/alignment_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace fovea::metrics {
namespace {

using Links = std::vector<Link>;

TEST(AlignmentError, TheGoldItselfHasNoError) {
  const Links gold = {{0, 0}, {1, 2}, {2, 1, false}};
  const AlignmentScore score = alignment_score(alignment_counts(gold, gold));
  EXPECT_EQ(score.error_rate, 0);
  EXPECT_EQ(score.precision, 100);
  EXPECT_EQ(score.recall, 100);
}

TEST(AlignmentError, PossibleLinksMayBeFoundAndMayBeLeftOut) {
  const Links gold = {{0, 0}, {1, 1, false}};
  EXPECT_EQ(alignment_score(alignment_counts(Links{{0, 0}}, gold)).error_rate, 0);
  EXPECT_EQ(alignment_score(alignment_counts(Links{{0, 0}, {1, 1}}, gold)).error_rate, 0);
}

TEST(AlignmentError, TheFormulaOnAnExample) {
  // A = {00, 11, 13, 22}, S = {00, 12, 22}, P = S + {11}: |A n S| = 2, |A n P| = 3.
  const Links found = {{0, 0}, {1, 1}, {1, 3}, {2, 2}}, gold = {{0, 0}, {1, 2}, {2, 2}, {1, 1, false}};
  const AlignmentScore score = alignment_score(alignment_counts(found, gold));
  EXPECT_NEAR(score.error_rate, 100 * (1 - 5.0 / 7), 1e-12);
  EXPECT_NEAR(score.precision, 75, 1e-12);
  EXPECT_NEAR(score.recall, 200.0 / 3, 1e-12);
}

TEST(AlignmentError, ALinkGivenTwiceCountsOnceAndIsSureIfOneIs) {
  const AlignmentCounts counts =
      alignment_counts(Links{{0, 0}, {0, 0}, {0, 0, false}}, Links{{0, 0, false}, {0, 0}, {0, 0, false}});
  EXPECT_EQ(counts.found, 1);
  EXPECT_EQ(counts.sure, 1);
  EXPECT_EQ(counts.found_sure, 1);
  EXPECT_EQ(counts.found_possible, 1);
}

TEST(AlignmentError, EdgesHaveNumbersToo) {
  EXPECT_EQ(alignment_score({}).error_rate, 0);
  EXPECT_EQ(alignment_score(alignment_counts({}, Links{{0, 0}})).error_rate, 100);
  EXPECT_EQ(alignment_score(alignment_counts(Links{{0, 0}}, {})).error_rate, 100);
  EXPECT_EQ(alignment_score(alignment_counts(Links{{1, 0}}, Links{{0, 1}})).error_rate, 100);
}

TEST(AlignmentError, AgreesWithSetsOnRandomAlignments) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 chance(seed);
  AlignmentCounts sum;
  double both = 0, all = 0;
  for (int line = 0; line < 200; ++line) {
    const auto draw = [&] {
      Links links;
      for (unsigned n = chance() % 12; n > 0; --n)
        links.push_back(
            {static_cast<int32_t>(chance() % 4), static_cast<int32_t>(chance() % 4), chance() % 2 == 0});
      return links;
    };
    const Links found = draw(), gold = draw();
    sum += alignment_counts(found, gold);
    std::set<std::pair<int, int>> A, S, P;
    for (const Link& link : found) A.emplace(link.source, link.target);
    for (const Link& link : gold) {
      P.emplace(link.source, link.target);
      if (link.sure) S.emplace(link.source, link.target);
    }
    for (const auto& link : A) both += static_cast<double>(S.count(link) + P.count(link));
    all += static_cast<double>(A.size() + S.size());
  }
  EXPECT_NEAR(alignment_score(sum).error_rate, 100 * (1 - both / all), 1e-9);
}

}  // namespace
}  // namespace fovea::metrics
