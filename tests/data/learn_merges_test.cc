#include "fovea/data/pipeline/learn_merges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fovea/base/random.h"

namespace fovea::data {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(LearnMerges, TakesTheMostFrequentPairAndOfEqualOnesTheSmallerIds) {
  const WordCounts words = {{"abab", 2}, {"cab", 1}, {"cd", 5}};
  const LearnedPieces learned = learn_merges(words, {{}, "", 8});
  // a b c d: ab 5 times, cd 5 times, ba twice, ca once
  EXPECT_THAT(learned.pieces, ElementsAre("a", "b", "c", "d", "ab", "cd", "abab", "cab"));
  EXPECT_THAT(learned.merges, ElementsAre(Pair(0, 1), Pair(2, 3), Pair(4, 4), Pair(2, 4)));
}

TEST(LearnMerges, MarksPiecesThatDoNotBeginAWord) {
  const LearnedPieces learned = learn_merges({{"aab", 3}}, {{"[UNK]"}, "##", 10});
  EXPECT_THAT(learned.pieces, ElementsAre("[UNK]", "a", "##a", "##b", "aa", "aab"));
}

TEST(LearnMerges, LeavesOutTheRarestCharactersWhereThereIsNoRoom) {
  const LearnedPieces learned = learn_merges({{"aaab", 3}, {"c", 1}}, {{"x"}, "", 5});
  EXPECT_THAT(learned.pieces, ElementsAre("x", "a", "b", "aa", "ab"));
}

// The same by counting all pairs anew before each merge.
LearnedPieces plain(const WordCounts& counts, int64_t size) {
  LearnedPieces learned = learn_merges(counts, {{}, "", 0});
  std::vector<std::pair<std::vector<std::string>, int64_t>> words;
  std::map<std::string, int32_t> ids;
  for (const auto& [word, count] : counts) {
    words.push_back({{}, count});
    for (const char c : word) {
      words.back().first.emplace_back(1, c);
      ids[std::string(1, c)];
    }
  }
  for (auto& [piece, id] : ids) {
    id = static_cast<int32_t>(learned.pieces.size());
    learned.pieces.push_back(piece);
  }
  while (static_cast<int64_t>(learned.pieces.size()) < size) {
    std::map<std::pair<int32_t, int32_t>, int64_t> pairs;
    for (const auto& [word, count] : words)
      for (size_t i = 0; i + 1 < word.size(); ++i) pairs[{ids[word[i]], ids[word[i + 1]]}] += count;
    if (pairs.empty()) break;
    auto best = pairs.begin();
    for (auto pair = pairs.begin(); pair != pairs.end(); ++pair)
      if (pair->second > best->second) best = pair;
    const auto [left, right] = best->first;
    const std::string a = learned.pieces[static_cast<size_t>(left)],
                      b = learned.pieces[static_cast<size_t>(right)];
    learned.merges.emplace_back(left, right);
    if (ids.try_emplace(a + b, static_cast<int32_t>(learned.pieces.size())).second)
      learned.pieces.push_back(a + b);
    for (auto& [word, count] : words)
      for (size_t i = 0; i + 1 < word.size(); ++i)
        if (word[i] == a && word[i + 1] == b) {
          word[i] = a + b;
          word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
  }
  return learned;
}

TEST(LearnMerges, IsWhatCountingAnewGives) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    WordCounts words;
    for (int i = 0; i < 60; ++i) {
      std::string word;
      for (int64_t n = 1 + random.below(10); n > 0; --n) word += static_cast<char>('a' + random.below(4));
      count_word(words, word, 1 + random.below(5));
    }
    const LearnedPieces fast = learn_merges(words, {{}, "", 60}), slow = plain(words, 60);
    EXPECT_EQ(fast.pieces, slow.pieces);
    EXPECT_EQ(fast.merges, slow.merges);
  }
}

}  // namespace
}  // namespace fovea::data
