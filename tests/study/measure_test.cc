#include "fovea/study/measure.h"

#include <gmock/gmock.h>

#include "tests/decode/fake_decoder.h"

namespace fovea::study {
namespace {

using testing::Ids;

// Says the source again, and looks `ahead` words ahead of the word that it is about to say.
run::LoadedDecoder copier(const std::vector<data::Pair>& pairs, int64_t ahead = 0) {
  std::vector<std::string> lines;
  for (const data::Pair& pair : pairs) lines.push_back(pair.source);
  run::LoadedDecoder model;
  model.source = model.target = data::train_tokenizer(lines, {});
  testing::FakeDecoder::Options o{.vocabulary = model.source->size(), .heads = 1};
  o.edit = [](const Ids& source, const Ids& prefix, std::vector<float>& logits) {
    logits[static_cast<size_t>(source[std::min(prefix.size(), source.size() - 1)])] = 100;
  };
  o.edit_look = [ahead](const Ids& source, const Ids& prefix, std::vector<float>& weights) {
    std::fill(weights.begin(), weights.end(), 0.0f);
    weights[std::min(prefix.size() + static_cast<size_t>(ahead), source.size() - 1)] = 1;
  };
  model.decoder = std::make_shared<testing::FakeDecoder>(std::move(o));
  return model;
}

const std::vector<data::Pair> kPairs = {
    {"a b c d e", "a b c d e", {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}},
    {"e d c b", "e d c a", {{0, 0}, {1, 1, false}, {2, 2}, {3, 3}}},
    {"b", "b", {}},
};

TEST(Measure, CountsTranslationsAndLinksOfEveryPair) {
  const auto counts = *measure(copier(kPairs), kPairs, 100);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].exact.matches, 1);
  EXPECT_EQ(counts[1].exact.matches, 0);
  EXPECT_EQ(counts[1].bleu.correct[0], 3);
  EXPECT_EQ(counts[2].exact.matches, 1);
  EXPECT_EQ(counts[1].source_words, 4);
  EXPECT_EQ(counts[1].links.sure, 3);
  EXPECT_EQ(counts[1].links.found, 4);
  EXPECT_EQ(counts[2].links.found, 0);

  Counts sum;
  for (const Counts& line : counts) sum += line;
  const Quality quality = quality_of(sum);
  EXPECT_EQ(quality.lines, 3);
  EXPECT_NEAR(quality.exact, 200.0 / 3, 1e-9);
  EXPECT_EQ(quality.alignment_error, 0);
}

TEST(Measure, ALookAtTheNextWordIsAnError) {
  const auto counts = *measure(copier(kPairs, 1), kPairs, 100);
  EXPECT_EQ(counts[0].links.found, 5) << "the last word looked at <eos>, which is no word: it gets another";
  EXPECT_EQ(counts[0].links.found_possible, 0);
  EXPECT_EQ(quality_of(counts[0]).alignment_error, 100);
}

TEST(Measure, WithoutAGoldAlignmentThereIsNoAlignmentError) {
  const auto counts = *measure(copier(kPairs), kPairs, 100);
  EXPECT_EQ(quality_of(counts[2]).alignment_error, std::nullopt);
}

TEST(Measure, SourcesLongerThanTheModelKnowsAreCut) {
  const auto counts = *measure(copier(kPairs), kPairs, 4);
  EXPECT_EQ(counts[0].exact.matches, 0);
  EXPECT_EQ(counts[0].bleu.hyp_len, 4);
  EXPECT_EQ(counts[0].links.sure, 0);
  EXPECT_EQ(counts[1].links.sure, 3);
}

TEST(Measure, StopsWhenItIsToldTo) {
  int asked = 0;
  EXPECT_FALSE(measure(copier(kPairs), kPairs, 100, [&] { return ++asked == 5; }).has_value());
  EXPECT_EQ(asked, 5);
}

}  // namespace
}  // namespace fovea::study
