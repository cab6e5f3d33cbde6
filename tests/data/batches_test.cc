#include "fovea/data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/random.h"

namespace fovea::data {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

// Pairs of up to `longest` words w0 to w9; a target is about as long as its source.
std::vector<Pair> random_pairs(int64_t count, int64_t longest, uint64_t seed) {
  Random random(seed);
  const auto line = [&](int64_t words) {
    std::string text;
    for (int64_t i = 0; i < words; ++i) text += fmt::format("{}w{}", i ? " " : "", random.below(10));
    return text;
  };
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t words = 1 + random.below(longest);
    pairs.push_back({line(words), line(std::max<int64_t>(1, words + random.below(5) - 2)), {}});
  }
  return pairs;
}

std::unique_ptr<Tokenizer> word_tokenizer() {
  std::vector<std::string> lines = {"w0 w1 w2 w3 w4 w5 w6 w7 w8 w9"};
  return train_tokenizer(lines, {.kind = "word", .vocab_size = 0});
}

Dataset dataset_of(const std::vector<Pair>& pairs, int64_t max_length = 0) {
  const auto tokenizer = word_tokenizer();
  return Dataset(pairs, *tokenizer, *tokenizer, max_length);
}

TEST(Dataset, KeepsWhatTheTokenizersSayAndCountsWhatItLeavesOut) {
  const std::vector<Pair> pairs = {{"w0 w1", "w2", {}},     {"", "w1", {}},
                                   {"w1", "   ", {}},       {"", "", {}},
                                   {"w1 w2 w3", "w1", {}},  {"w3", "w1 w2 w3 w4", {}},
                                   {"w9", "w8 unknown", {}}};
  const Dataset data = dataset_of(pairs, 2);
  ASSERT_EQ(data.size(), 2);
  EXPECT_THAT(data.source(0), ElementsAre(4, 5));
  EXPECT_THAT(data.target(0), ElementsAre(6));
  EXPECT_THAT(data.source(1), ElementsAre(13));
  EXPECT_THAT(data.target(1), ElementsAre(12, kUnk));
  EXPECT_EQ(data.line(1), 6);
  EXPECT_EQ(data.target_tokens(), 5);
  const DatasetReport& report = data.report();
  EXPECT_EQ(report.pairs, 7);
  EXPECT_EQ(report.empty_source, 2);
  EXPECT_EQ(report.empty_target, 1);
  EXPECT_EQ(report.too_long, 2);
  EXPECT_EQ(report.kept(), 2);
  EXPECT_EQ(report.summary(),
            "7 pairs; left out: 2 without source, 1 without target, 2 longer than 2 tokens");
  EXPECT_EQ(dataset_of({{"w0", "w1", {}}}).report().summary(), "1 pair");
}

TEST(Dataset, NothingLeftIsAnError) {
  try {
    dataset_of({{"w0 w1", "w2", {}}, {"", "", {}}}, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "[data] 2 pairs; left out: 1 without source, 1 longer than 1 tokens: nothing is left to learn from");
  }
}

TEST(Dataset, ALinkToAWordThatIsNotThereIsAnError) {
  for (const Link link : {Link{2, 0}, Link{0, 1}, Link{-1, 0}, Link{0, -1}}) {
    try {
      dataset_of({{"w0", "w1", {}}, {"w0 w1", "w2", {{0, 0}, link}}});
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr(fmt::format("pair 2: the alignment has {}-{}, but the lines have 2 and 1 words",
                                        link.source, link.target)));
    }
  }
}

TEST(Dataset, TheFingerprintKnowsEveryChange) {
  const std::vector<Pair> pairs = random_pairs(50, 9, 1);
  const uint64_t print = dataset_of(pairs).fingerprint();
  EXPECT_EQ(dataset_of(pairs).fingerprint(), print);
  std::set<uint64_t> prints = {print};
  const auto differs = [&](std::vector<Pair> changed) {
    EXPECT_TRUE(prints.insert(dataset_of(changed).fingerprint()).second);
  };
  auto changed = pairs;
  changed[30].target += " w1";
  differs(changed);
  changed = pairs;
  std::swap(changed[3].source, changed[3].target);
  differs(changed);
  changed = pairs;
  std::swap(changed[3], changed[4]);
  differs(changed);
  changed = pairs;
  changed.pop_back();
  differs(changed);
  changed = pairs;
  changed.insert(changed.begin() + 9, Pair{"", "", {}});
  differs(changed);
  changed = pairs;
  changed[7].links = {{0, 0}};
  differs(changed);
  changed[7].links = {{0, 0, false}};
  differs(changed);
  EXPECT_NE(dataset_of({{"w0 w1", "w2", {}}}).fingerprint(), dataset_of({{"w0", "w1 w2", {}}}).fingerprint());
}

TEST(Dataset, ThreadsChangeNothing) {
  const std::vector<Pair> pairs = random_pairs(3000, 9, 2);
  const int before = threads();
  set_threads(1);
  const uint64_t one = dataset_of(pairs, 8).fingerprint();
  set_threads(4);
  EXPECT_EQ(dataset_of(pairs, 8).fingerprint(), one);
  set_threads(before);
}

void expect_every_pair_once(const BatchPlan& plan, const Dataset& data, const BatchOptions& options) {
  std::vector<int> seen(static_cast<size_t>(data.size()));
  for (int64_t k = 0; k < plan.size(); ++k) {
    int64_t longest = 0;
    for (const int32_t pair : plan.batch(k)) {
      ++seen[static_cast<size_t>(pair)];
      longest = std::max({longest, static_cast<int64_t>(data.source(pair).size()) + 1,
                          static_cast<int64_t>(data.target(pair).size()) + 1});
    }
    const auto rows = static_cast<int64_t>(plan.batch(k).size());
    ASSERT_GE(rows, 1);
    ASSERT_TRUE(rows == 1 || rows * longest <= options.tokens) << rows << " x " << longest;
    ASSERT_TRUE(options.rows == 0 || rows <= options.rows);
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

TEST(BatchPlan, EveryPairComesOnceInEveryEpochWithinTheBudget) {
  const Dataset data = dataset_of(random_pairs(1000, 40, 3));
  for (const BatchOptions& options :
       {BatchOptions{.tokens = 200}, BatchOptions{.tokens = 3000, .rows = 7},
        BatchOptions{.tokens = 10, .window = 1}, BatchOptions{.tokens = 100'000'000},
        BatchOptions{.tokens = 300, .window = 64, .seed = 9}}) {
    for (int64_t epoch = 0; epoch < 3; ++epoch)
      expect_every_pair_once(plan_epoch(data, options, epoch), data, options);
    expect_every_pair_once(plan_sorted(data, options), data, options);
  }
}

TEST(BatchPlan, TheOrderDependsOnSeedAndEpochAndOnNothingElse) {
  const Dataset data = dataset_of(random_pairs(500, 20, 4));
  const auto plan = [&](uint64_t seed, int64_t epoch) {
    return plan_epoch(data, {.tokens = 200, .window = 100, .seed = seed}, epoch).order;
  };
  EXPECT_EQ(plan(1, 0), plan(1, 0));
  EXPECT_NE(plan(1, 0), plan(2, 0));
  EXPECT_NE(plan(1, 0), plan(1, 1));
  EXPECT_NE(plan(1, 1), plan(2, 0));
}

TEST(BatchPlan, OtherPairsMeetInEveryEpoch) {
  const Dataset data = dataset_of(random_pairs(500, 20, 4));
  const auto batches = [&](int64_t epoch) {
    const BatchPlan plan = plan_epoch(data, {.tokens = 200, .window = 100}, epoch);
    std::set<std::set<int32_t>> batches;
    for (int64_t k = 0; k < plan.size(); ++k) batches.emplace(plan.batch(k).begin(), plan.batch(k).end());
    return batches;
  };
  EXPECT_NE(batches(0), batches(1));
}

TEST(BatchPlan, BucketsLeaveLittlePaddingOnBothSides) {
  const Dataset data = dataset_of(random_pairs(4000, 40, 5));
  const BatchPlan plan = plan_epoch(data, {.tokens = 1000}, 0);
  int64_t words = 0, places = 0;
  for (int64_t k = 0; k < plan.size(); ++k) {
    const Batch batch = make_batch(data, plan.batch(k));
    const auto lengths = batch.source.lengths.values<int32_t>();
    words += std::accumulate(lengths.begin(), lengths.end(), batch.target_tokens);
    places += batch.source.ids.size() + batch.target_in.size();
  }
  EXPECT_GT(static_cast<double>(words) / static_cast<double>(places),
            0.96);  // 0.947 when sorted by targets alone
}

TEST(BatchPlan, LongAndShortBatchesAreMixed) {
  const Dataset data = dataset_of(random_pairs(2000, 40, 6));
  const BatchPlan plan = plan_epoch(data, {.tokens = 400}, 0);
  // With sorted batches the longest of the first half would be shorter than the shortest of the second.
  size_t longest = 0, shortest = SIZE_MAX;
  for (int64_t k = 0; k < plan.size(); ++k) {
    const size_t length = data.target(plan.batch(k)[0]).size();
    if (k < plan.size() / 2) longest = std::max(longest, length);
    if (k >= plan.size() / 2) shortest = std::min(shortest, length);
  }
  EXPECT_GT(longest, 35u);
  EXPECT_LT(shortest, 6u);
}

TEST(PairStream, AnyPositionIsReachedDirectly) {
  const Dataset data = dataset_of(random_pairs(300, 12, 7));
  const BatchOptions options{.tokens = 150, .seed = 5};
  PairStream whole(data, options);
  std::vector<Position> positions;
  std::vector<std::vector<int64_t>> lines;
  for (int64_t n = 0; n < 3 * whole.epoch_size(); ++n) {
    positions.push_back(whole.position());
    lines.push_back(whole.next().lines);
  }
  EXPECT_EQ(positions.front(), (Position{0, 0}));
  EXPECT_GE(positions.back().epoch, 2);
  for (size_t n = 0; n < positions.size(); ++n) {
    PairStream resumed(data, options, positions[n]);
    for (size_t m = n; m < std::min(n + 3, positions.size()); ++m) {
      ASSERT_EQ(resumed.position(), positions[m]);
      ASSERT_EQ(resumed.next().lines, lines[m]);
    }
  }
}

TEST(PairStream, ThePositionMovesToTheNextEpochWithItsLastBatch) {
  const Dataset data = dataset_of(random_pairs(20, 5, 8));
  PairStream stream(data, {.tokens = 60});
  const int64_t batches = stream.epoch_size();
  ASSERT_GT(batches, 1);
  for (int64_t k = 0; k < batches; ++k) {
    EXPECT_EQ(stream.position(), (Position{0, k}));
    stream.next();
  }
  EXPECT_EQ(stream.position(), (Position{1, 0}));
}

TEST(PairStream, APositionThatCannotBeIsRefused) {
  const Dataset data = dataset_of(random_pairs(20, 5, 8));
  EXPECT_THROW(PairStream(data, {}, {0, 1000}), Error);
  EXPECT_THROW(PairStream(data, {}, {-1, 0}), Error);
  EXPECT_THROW(PairStream(data, {}, {0, -1}), Error);
  EXPECT_THROW(PairStream(data, {.tokens = 0}), Error);
  EXPECT_THROW(PairStream(data, {.window = 0}), Error);
}

TEST(MakeBatch, IsPaddedAsTheModelsReadIt) {
  const Dataset data = dataset_of({{"w0 w1 w2", "w3", {}}, {"w9", "w8 w7", {}}});
  const Batch batch = make_batch(data, std::vector<int32_t>{1, 0});
  EXPECT_THAT(batch.source.ids.values<int32_t>(), ElementsAre(13, kEos, kPad, kPad, 4, 5, 6, kEos));
  EXPECT_EQ(batch.source.ids.shape(), Shape({2, 4}));
  EXPECT_THAT(batch.source.lengths.values<int32_t>(), ElementsAre(2, 4));
  EXPECT_THAT(batch.target_in.values<int32_t>(), ElementsAre(kSos, 12, 11, kSos, 7, kPad));
  EXPECT_EQ(batch.target_in.shape(), Shape({2, 3}));
  EXPECT_THAT(batch.target_out.values<int32_t>(), ElementsAre(12, 11, kEos, 7, kEos, kIgnore));
  EXPECT_THAT(batch.target_lengths.values<int32_t>(), ElementsAre(3, 2));
  EXPECT_THAT(batch.lines, ElementsAre(1, 0));
  EXPECT_EQ(batch.target_tokens, 5);
  EXPECT_FALSE(batch.alignment.defined());
}

TEST(MakeBatch, IdsFromElsewhereMayBeEmpty) {
  const std::vector<std::vector<int32_t>> sources = {{}, {7, 8}}, targets = {{9}, {}};
  const Batch batch = make_batch(sources, targets);
  EXPECT_THAT(batch.source.ids.values<int32_t>(), ElementsAre(kEos, kPad, kPad, 7, 8, kEos));
  EXPECT_THAT(batch.source.lengths.values<int32_t>(), ElementsAre(1, 3));
  EXPECT_THAT(batch.target_in.values<int32_t>(), ElementsAre(kSos, 9, kSos, kPad));
  EXPECT_THAT(batch.target_out.values<int32_t>(), ElementsAre(9, kEos, kEos, kIgnore));
  EXPECT_THAT(batch.lines, ElementsAre(0, 1));
  EXPECT_EQ(source_batch({}).ids.shape(), Shape({0, 1}));
  EXPECT_THROW(make_batch(sources, {}), Error);
}

TEST(MakeBatch, LinksOfWordsBecomeSharesOfWords) {
  const Dataset data = dataset_of({{"w0 w1 w2", "w3 w4", {{0, 1}, {2, 1}, {2, 1}}}, {"w1", "w1", {}}});
  const Batch batch = make_batch(data, std::vector<int32_t>{0, 1});
  ASSERT_EQ(batch.alignment.shape(), Shape({2, 3, 4}));
  EXPECT_THAT(batch.alignment.values<float>(), ElementsAreArray({0.f, 0.f, 0.f, 0.f, .5f, 0.f, .5f, 0.f,  //
                                                                 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f,  //
                                                                 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f, 0.f}));
}

TEST(MakeBatch, LinksOfWordsBecomeSharesOfTheirPieces) {
  const auto chars = train_tokenizer(std::vector<std::string>{"abcd "}, {.kind = "char", .vocab_size = 0});
  const std::vector<Pair> pairs = {{"ab c", "d cc", {{0, 0}, {1, 1}}}};
  const Dataset data(pairs, *chars, *chars, 0);
  const Batch batch = make_batch(data, std::vector<int32_t>{0});
  ASSERT_EQ(batch.alignment.shape(), Shape({1, 5, 5}));
  // Source a b ' ' c <eos>, of words 0 0 1 1; target d ' ' c c <eos>, of words 0 1 1 1.
  EXPECT_THAT(batch.alignment.values<float>(), ElementsAreArray({.5f, .5f, 0.f, 0.f, 0.f,  //
                                                                 0.f, 0.f, .5f, .5f, 0.f,  //
                                                                 0.f, 0.f, .5f, .5f, 0.f,  //
                                                                 0.f, 0.f, .5f, .5f, 0.f,  //
                                                                 0.f, 0.f, 0.f, 0.f, 0.f}));
}

}  // namespace
}  // namespace fovea::data
