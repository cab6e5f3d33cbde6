// Drawn tokens have the frequencies that the options ask for, and no others are drawn.
#include "fovea/decode/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "fovea/base/random.h"

namespace fovea::testing {
namespace {

using decode::Sampling;

constexpr uint64_t kSeed = 5;
constexpr int32_t kHidden[] = {0, 1, 2};

std::vector<float> random_logits(size_t size, uint64_t seed) {
  Random random(seed);
  std::vector<float> x(size);
  for (float& v : x) v = 1.5f * random.normal();
  return x;
}

// What the options make of the logits, by sorting.
std::vector<double> wanted_shares(const std::vector<float>& logits, const Sampling& s) {
  std::vector<double> p(logits.size());
  double total = 0;
  for (size_t v = std::size(kHidden); v < p.size(); ++v)
    total += p[v] = std::exp(static_cast<double>(logits[v]) / static_cast<double>(s.temperature));
  for (double& share : p) share /= total;
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  if (s.top_k > 0)
    for (size_t i = static_cast<size_t>(s.top_k); i < order.size(); ++i) p[order[i]] = 0;
  total = std::accumulate(p.begin(), p.end(), 0.0);
  double before = 0;
  for (const size_t v : order) {
    const bool in = before < static_cast<double>(s.top_p) * total;
    before += p[v];
    if (!in) p[v] = 0;
  }
  total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& share : p) share /= total;
  return p;
}

TEST(Draw, FrequenciesAreTheSharesThatTheOptionsAskFor) {
  const std::vector<float> logits = random_logits(24, kSeed);
  const Sampling kCases[] = {{},
                             {.temperature = 0.5f},
                             {.temperature = 2},
                             {.top_k = 1},
                             {.top_k = 5},
                             {.top_p = 0.3f},
                             {.top_p = 0.9f},
                             {.temperature = 1.5f, .top_k = 10, .top_p = 0.8f}};
  constexpr int kDraws = 40'000;
  for (const Sampling& s : kCases) {
    SCOPED_TRACE(::testing::Message() << "temperature " << s.temperature << ", top-k " << s.top_k
                                      << ", top-p " << s.top_p << ", seed " << kSeed);
    const std::vector<double> shares = wanted_shares(logits, s);
    std::vector<int> counts(logits.size());
    for (int i = 0; i < kDraws; ++i) {
      const double u = decode::draw_position(kSeed, i % 100, i / 100);
      ++counts[static_cast<size_t>(decode::draw(logits, s, kHidden, u).token)];
    }
    double chi_square = 0;
    int freedom = -1;
    for (size_t v = 0; v < shares.size(); ++v) {
      if (shares[v] == 0) {
        EXPECT_EQ(counts[v], 0) << "token " << v << " was cut, and drawn";
        continue;
      }
      const double expected = shares[v] * kDraws;
      chi_square += (counts[v] - expected) * (counts[v] - expected) / expected;
      ++freedom;
    }
    // Four standard deviations above the mean of a chi-square distribution.
    EXPECT_LT(chi_square, freedom + 4 * std::sqrt(2.0 * freedom) + 1e-9);
  }
}

TEST(Draw, EveryNumberPicksTheTokenWhoseShareHoldsIt) {
  for (uint64_t seed = kSeed; seed < kSeed + 20; ++seed) {
    Random random(seed);
    const std::vector<float> logits = random_logits(4 + static_cast<size_t>(random.below(60)), seed);
    const Sampling s{
        .temperature = random.uniform(0.3f, 2), .top_k = random.below(20), .top_p = random.uniform(0.05f, 1)};
    const std::vector<double> shares = wanted_shares(logits, s);
    double before = 0;
    for (size_t v = 0; v < shares.size(); ++v) {
      if (shares[v] < 1e-4) continue;
      for (double part : {0.01, 0.5, 0.99}) {
        const decode::Drawn drawn = decode::draw(logits, s, kHidden, before + part * shares[v]);
        EXPECT_EQ(drawn.token, static_cast<int32_t>(v)) << "seed " << seed;
        double sum = 0;
        for (float x : logits) sum += std::exp(static_cast<double>(x));
        EXPECT_NEAR(drawn.log_prob, static_cast<double>(logits[v]) - std::log(sum), 1e-5);
      }
      before += shares[v];
    }
    EXPECT_NEAR(before, 1, 1e-2);
  }
}

TEST(Draw, OfEquallyProbableTokensTheLowerIdsAreKept) {
  const std::vector<float> equal(40, 0.25f);
  for (double u : {0.0, 0.4, 0.99999}) {
    EXPECT_EQ(decode::draw(equal, {.top_k = 2}, kHidden, u).token, u < 0.5 ? 3 : 4);
    // 37 tokens have equal shares; 3 of them are the fewest with 7 % (2/37 are 5.4 %).
    EXPECT_EQ(decode::draw(equal, {.top_p = 0.07f}, kHidden, u).token, 3 + static_cast<int32_t>(3 * u));
  }
}

TEST(Draw, AColdDrawIsTheMostProbableTokenAndAHotOneAnyToken) {
  const std::vector<float> logits = random_logits(50, kSeed);
  const auto best = std::max_element(logits.begin() + 3, logits.end()) - logits.begin();
  for (float cold : {1e-3f, 1e-30f, std::numeric_limits<float>::denorm_min()})
    for (double u : {0.0, 0.5, 0.999})
      EXPECT_EQ(decode::draw(logits, {.temperature = cold}, kHidden, u).token, best);
  for (double u : {0.001, 0.5, 0.999})
    EXPECT_EQ(decode::draw(logits, {.temperature = 1e30f}, kHidden, u).token, 3 + static_cast<int>(47 * u));
}

TEST(Draw, ARowThatIsNoDistributionGivesNoToken) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> logits = random_logits(30, kSeed);
    logits[20] = bad;
    EXPECT_EQ(decode::draw(logits, {}, kHidden, 0.5).token, -1);
    logits[20] = 0;
    logits[1] = bad;  // a hidden token has its part in the sum
    EXPECT_EQ(decode::draw(logits, {}, kHidden, 0.5).token, -1);
  }
  std::vector<float> nothing(30, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(decode::draw(nothing, {}, kHidden, 0.5).token, -1);
  nothing[1] = 0;
  EXPECT_EQ(decode::draw(nothing, {}, kHidden, 0.5).token, -1);
}

TEST(Draw, NumbersDifferBySeedLineAndPositionAndFillTheInterval) {
  std::map<double, int> seen;
  double sum = 0;
  for (int64_t line = 0; line < 50; ++line)
    for (int64_t position = 0; position < 50; ++position)
      for (uint64_t seed : {1, 2}) {
        const double u = decode::draw_position(seed, line, position);
        EXPECT_GE(u, 0);
        EXPECT_LT(u, 1);
        sum += u;
        EXPECT_EQ(++seen[u], 1);
      }
  EXPECT_NEAR(sum / 5000, 0.5, 0.02);
}

}  // namespace
}  // namespace fovea::testing
