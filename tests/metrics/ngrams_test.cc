#include "fovea/metrics/ngrams.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fovea::metrics {
namespace {

using Symbols = std::vector<uint32_t>;

std::map<Symbols, int64_t> counted(const Symbols& symbols, size_t n) {
  std::map<Symbols, int64_t> counts;
  for (size_t i = 0; i + n <= symbols.size(); ++i)
    ++counts[Symbols(symbols.begin() + static_cast<int64_t>(i),
                     symbols.begin() + static_cast<int64_t>(i + n))];
  return counts;
}

TEST(Ngrams, MatchesAreThoseOfCountingThemAll) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 chance(seed);
  NgramMatcher match;  // one for all: what it keeps between uses must not show
  for (int round = 0; round < 300; ++round) {
    const auto draw = [&](uint32_t kinds) {
      Symbols symbols(chance() % (round % 50 == 0 ? 400 : 12));
      for (uint32_t& symbol : symbols) symbol = chance() % kinds * 0x01000193;
      return symbols;
    };
    const uint32_t kinds = 1 + chance() % 5;
    const Symbols hypothesis = draw(kinds);
    std::vector<Symbols> references(1 + chance() % 3);
    for (Symbols& reference : references) reference = draw(kinds);
    std::vector<int64_t> matches(6, -1), expected(6, 0);
    match(hypothesis, references, matches);
    for (size_t n = 1; n <= 6; ++n)
      for (const auto& [ngram, count] : counted(hypothesis, n)) {
        int64_t allowed = 0;
        for (const Symbols& reference : references) allowed = std::max(allowed, counted(reference, n)[ngram]);
        expected[n - 1] += std::min(count, allowed);
      }
    ASSERT_EQ(matches, expected) << "round " << round;
  }
}

TEST(Ngrams, SameWordsHaveSameNumbers) {
  WordNumbers numbers;
  for (int times = 0; times < 3; ++times) {
    numbers.clear(7);
    EXPECT_EQ(numbers(std::vector<std::string_view>{"a", "b", "a", ""}), (Symbols{0, 1, 0, 2}));
    EXPECT_EQ(numbers(std::vector<std::string_view>{"", "ab", "b"}), (Symbols{2, 3, 1}));
  }
}

}  // namespace
}  // namespace fovea::metrics
