// What every built-in corpus promises, and the digits.
#include "fovea/data/corpora.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "fovea/base/error.h"
#include "fovea/base/utf8.h"

namespace fovea::data {
namespace {

using ::testing::HasSubstr;
using ::testing::Test;

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

std::string message_of(const std::string& name, const CorpusOptions& options) {
  try {
    make_corpus(name, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

struct Choice {
  std::string name, language;
  friend void PrintTo(const Choice& choice, std::ostream* out) {
    *out << choice.name << " " << choice.language;
  }
};
// Every corpus in every language.
std::vector<Choice> all_corpora() {
  std::vector<Choice> all;
  for (const CorpusKind& kind : corpus_table())
    for (const std::string_view target : kind.targets) all.push_back({kind.name, std::string(target)});
  return all;
}

class Corpora : public ::testing::TestWithParam<Choice> {
 protected:
  const std::string name_ = GetParam().name;
  const CorpusKind& kind_ = corpus_named(name_);
  CorpusOptions options(int64_t train, int64_t valid, int64_t test, uint64_t seed = 1) const {
    CorpusOptions options;
    options.seed = seed;
    options.train = train;
    options.valid = valid;
    options.test = test;
    options.language = GetParam().language;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Corpora, ::testing::ValuesIn(all_corpora()),
                         [](const auto& given) { return given.param.name + "_" + given.param.language; });

TEST_P(Corpora, PartsNeverShareASourceWhateverTheSeed) {
  std::unordered_map<std::string, int> part_of;
  for (const uint64_t seed : {1, 2}) {
    const Corpus corpus = make_corpus(name_, options(5000, 1000, 1000, seed));
    const std::vector<Pair>* parts[] = {&corpus.train, &corpus.valid, &corpus.test};
    for (int part = 0; part < 3; ++part) {
      std::unordered_set<std::string> here;
      for (const Pair& pair : *parts[part]) {
        EXPECT_TRUE(here.insert(pair.source).second) << "twice: " << pair.source;
        EXPECT_EQ(part_of.emplace(pair.source, part).first->second, part) << pair.source;
      }
    }
    EXPECT_EQ(corpus.train.size(), 5000u);
    EXPECT_EQ(corpus.valid.size(), 1000u);
    EXPECT_EQ(corpus.test.size(), 1000u);
  }
}

TEST_P(Corpora, TheSameSeedGivesTheSameLinesAndFewerAreTheFirstOfMore) {
  const Corpus a = make_corpus(name_, options(300, 20, 30)), b = make_corpus(name_, options(300, 20, 30)),
               more = make_corpus(name_, options(400, 90, 10)),
               other = make_corpus(name_, options(300, 20, 30, 2));
  EXPECT_EQ(a.train, b.train);
  EXPECT_EQ(a.valid, b.valid);
  EXPECT_EQ(a.test, b.test);
  EXPECT_TRUE(std::equal(a.train.begin(), a.train.end(), more.train.begin()));
  EXPECT_TRUE(std::equal(more.test.begin(), more.test.end(), a.test.begin()));
  EXPECT_NE(a.train, other.train);
}

TEST_P(Corpora, EqualSourcesHaveEqualTargets) {
  Recipe recipe{.min_words = kind_.min_words, .max_words = kind_.max_words, .language = GetParam().language};
  Random random(7);
  std::unordered_map<std::string, std::string> targets;
  for (int i = 0; i < 200'000; ++i) {
    Pair pair;
    kind_.draw(random, recipe, pair);
    const auto [known, fresh] = targets.emplace(pair.source, pair.target);
    ASSERT_EQ(known->second, pair.target) << pair.source;
  }
}

TEST_P(Corpora, ShowcaseSentencesAreInNoPart) {
  ASSERT_FALSE(kind_.showcase.empty());
  const Corpus corpus = make_corpus(name_, options(20000, 1000, 1000));
  for (const auto* part : {&corpus.train, &corpus.valid, &corpus.test})
    for (const Pair& pair : *part)
      EXPECT_EQ(std::count(kind_.showcase.begin(), kind_.showcase.end(), pair.source), 0) << pair.source;
}

TEST_P(Corpora, LinesAreCleanAndLinksAreInRange) {
  const Corpus corpus = make_corpus(name_, options(3000, 10, 10));
  for (const Pair& pair : corpus.train) {
    std::set<std::pair<int, int>> links;
    const auto source = words_of(pair.source), target = words_of(pair.target);
    for (const std::string& word : source) ASSERT_FALSE(word.empty()) << pair.source;
    for (const std::string& word : target) ASSERT_FALSE(word.empty()) << pair.target;
    ASSERT_EQ(find_invalid_utf8(pair.source + pair.target), std::string::npos);
    for (const Link& link : pair.links) {
      ASSERT_TRUE(link.source >= 0 && link.source < static_cast<int>(source.size())) << pair.source;
      ASSERT_TRUE(link.target >= 0 && link.target < static_cast<int>(target.size())) << pair.target;
      EXPECT_TRUE(links.emplace(link.source, link.target).second) << "a link twice: " << pair.source;
    }
    EXPECT_TRUE(std::is_sorted(pair.links.begin(), pair.links.end(), [](const Link& a, const Link& b) {
      return std::pair(a.target, a.source) < std::pair(b.target, b.source);
    })) << pair.source;
  }
}

TEST_P(Corpora, LengthsThatAreAskedForAreObeyed) {
  for (const auto& [low, high] : {std::pair{4, 6}, {5, 5}, {3, 9}, {40, 60}, {100, 120}}) {
    if (low < kind_.fewest_words || high > kind_.most_words) continue;
    CorpusOptions asked = options(200, 5, 5);
    asked.min_words = low;
    asked.max_words = high;
    std::set<size_t> lengths;
    for (const Pair& pair : make_corpus(name_, asked).train) lengths.insert(words_of(pair.source).size());
    EXPECT_GE(static_cast<int>(*lengths.begin()), low);
    EXPECT_LE(static_cast<int>(*lengths.rbegin()), high);
    // Where any length can be made, all of them are.
    if (kind_.most_words >= 100) {
      EXPECT_EQ(static_cast<int>(lengths.size()), high - low + 1);
    }
  }
}

TEST(Copy, IsTheSourceAndReverseTheSourceFromItsEnd) {
  for (const char* name : {"copy", "reverse"})
    for (const Pair& pair : make_corpus(name).test) {
      auto words = words_of(pair.source);
      const int n = static_cast<int>(words.size());
      const bool backwards = name[0] == 'r';
      if (backwards) std::reverse(words.begin(), words.end());
      ASSERT_EQ(words_of(pair.target), words);
      ASSERT_EQ(pair.links.size(), words.size());
      for (int i = 0; i < n; ++i)
        EXPECT_EQ(pair.links[static_cast<size_t>(i)], (Link{backwards ? n - 1 - i : i, i}));
    }
}

TEST(CorpusOptions, ThatCannotBeAreExplained) {
  EXPECT_EQ(message_of("revers", {}),
            "[corpus] no built-in corpus is called 'revers'; there are reverse, dates, copy, grammar");
  CorpusOptions options;
  options.train = 20;
  options.max_words = 1;
  EXPECT_EQ(
      message_of("copy", options),
      "[corpus] copy of 1 to 1 words has 10 lines for train, 20 were asked for: ask for fewer, or for longer "
      "lines");
  options = {};
  options.language = "de";
  EXPECT_EQ(message_of("copy", options), "[corpus] copy has no language 'de'; it has out");
  options = {};
  options.min_words = 9;
  options.max_words = 5;
  EXPECT_EQ(message_of("copy", options),
            "[corpus] copy with 9 to 5 words in a line: expected a range within 1 to 10000");
  options = {};
  options.train = 1'000'000'000'000;
  EXPECT_THAT(message_of("copy", options), HasSubstr("at most 10000000 can be asked for"));
  options.train = 1'000'000;
  options.min_words = options.max_words = 10'000;
  EXPECT_THAT(message_of("copy", options), HasSubstr("at most 100000000 words can be made at once"));
}

}  // namespace
}  // namespace fovea::data
