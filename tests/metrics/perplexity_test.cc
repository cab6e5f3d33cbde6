#include "fovea/metrics/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fovea::metrics {
namespace {

TEST(Perplexity, ACoinHasTwo) {
  PerplexityCounts sum;
  sum += {3 * std::log(0.5), 3};
  sum += {std::log(0.5), 1};
  EXPECT_NEAR(perplexity(sum), 2, 1e-12);
}

TEST(Perplexity, EdgesHaveNumbersToo) {
  EXPECT_EQ(perplexity({}), 1);
  EXPECT_EQ(perplexity({-std::numeric_limits<double>::infinity(), 3}),
            std::numeric_limits<double>::infinity());
}

TEST(Perplexity, LinesOfScoresAreRead) {
  const auto counts = parse_log_prob("-12.3456\t9");
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->log_prob, -12.3456);
  EXPECT_EQ(counts->tokens, 9);
  EXPECT_TRUE(parse_log_prob("-1e-7\t0"));
  EXPECT_TRUE(parse_log_prob("1e-7\t1"));
  EXPECT_TRUE(parse_log_prob("-inf\t2"));
  for (const char* line : {"-1\t3\ta b <eos>\t-0.1 -0.2 -0.7", "-1\t3 ||| 0-0 1-2"}) {
    ASSERT_TRUE(parse_log_prob(line)) << line;
    EXPECT_EQ(parse_log_prob(line)->tokens, 3);
  }
}

TEST(Perplexity, OtherLinesAreNot) {
  for (const char* line : {"", "-1", "-1\t", "\t3", "-1 3", "-1\t-3", "-1\t2.5", "nan\t1", "3.5\t1", "inf\t1",
                           "x\t1", "-1\t99999999999999999999"})
    EXPECT_FALSE(parse_log_prob(line)) << line;
}

}  // namespace
}  // namespace fovea::metrics
