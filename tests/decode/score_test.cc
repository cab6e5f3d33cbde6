#include "fovea/decode/score.h"

#include <gtest/gtest.h>

#include "fovea/base/error.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/search.h"
#include "tests/decode/fake_decoder.h"

namespace fovea::testing {
namespace {

constexpr uint64_t kSeed = 3;

using decode::Scored;
using decode::ScoreRequest;

std::vector<Scored> score(const FakeDecoder& decoder, const std::vector<ScoreRequest>& requests,
                          int64_t batch, const run::LookAt& look = {}) {
  std::vector<Scored> all(requests.size());
  EXPECT_TRUE(decode::score_all(decoder, requests, batch, look,
                                [&](size_t i, Scored one) { all[i] = std::move(one); }));
  return all;
}

std::vector<ScoreRequest> pairs(const std::vector<Ids>& sources, const std::vector<Ids>& targets) {
  std::vector<ScoreRequest> requests;
  for (size_t i = 0; i < sources.size(); ++i)
    requests.push_back({.source = sources[i], .target = targets[i]});
  return requests;
}

FakeDecoder fake(bool reads_source = true) {
  FakeDecoder::Options o{.vocabulary = 40, .seed = kSeed, .reads_source = reads_source};
  o.edit = [](const Ids&, const Ids& prefix, std::vector<float>& x) {
    x[data::kEos] += static_cast<float>(prefix.size()) - 4;
  };
  return FakeDecoder(std::move(o));
}

TEST(Score, IsTheSumOverTokensAndTheEnd) {
  const FakeDecoder decoder = fake();
  std::vector<Ids> sources = random_sources(kSeed, 20), targets;
  Random random(kSeed);
  for (size_t i = 0; i < sources.size(); ++i) {
    Ids& target = targets.emplace_back();
    for (int64_t n = random.below(8); n > 0; --n)
      target.push_back(4 + static_cast<int32_t>(random.below(36)));
  }
  sources[3].clear();
  targets[4].clear();
  for (int64_t batch : {1, 3, 50}) {
    const std::vector<Scored> got =
        score(decoder, pairs(sources, targets), batch, {.encoder = true, .cross = true});
    for (size_t i = 0; i < sources.size(); ++i) {
      Ids source = sources[i], prefix;
      source.push_back(data::kEos);
      const auto S = static_cast<int64_t>(source.size()), T = static_cast<int64_t>(targets[i].size()) + 1;
      const Tensor weights = decode::last_layer(got[i].looked, run::Site::kCross);
      ASSERT_EQ(weights.shape(), (Shape{2, T, S}));
      EXPECT_EQ(decode::last_layer(got[i].encoder, run::Site::kEncoder).shape(), (Shape{2, S, S}));
      double sum = 0;
      for (int64_t t = 0; t < T; ++t) {
        const int32_t token = t + 1 < T ? targets[i][static_cast<size_t>(t)] : data::kEos;
        const double want = decoder.log_probs_of(source, prefix)[static_cast<size_t>(token)];
        EXPECT_NEAR(got[i].tokens.at(static_cast<size_t>(t)), want, 1e-5);
        sum += want;
        const std::vector<float> look = decoder.look(source, prefix, S);
        for (int64_t h = 0; h < 2; ++h)
          for (int64_t s = 0; s < S; ++s)
            EXPECT_EQ(weights.data<float>()[(h * T + t) * S + s], look[static_cast<size_t>(h * S + s)]);
        prefix.push_back(token);
      }
      EXPECT_EQ(static_cast<int64_t>(got[i].tokens.size()), T);
      EXPECT_NEAR(got[i].log_prob, sum, 1e-4);
    }
  }
}

TEST(Score, OfATranslationIsWhatTheSearchSaid) {
  const FakeDecoder decoder = fake();
  for (const Ids& source : random_sources(kSeed, 20)) {
    const decode::Hypothesis best =
        decode::search(decoder, {.source = source}, {.beam_size = 4, .look = decode::look_at_source()})[0];
    ASSERT_TRUE(best.ended);
    const Scored got = score(decoder, pairs({source}, {best.tokens}), 7, decode::look_at_source())[0];
    EXPECT_NEAR(got.log_prob, best.log_prob, 1e-4);
    const run::Looked looked = decode::join_looks(best.looks);
    ASSERT_EQ(got.looked.size(), 1u);
    EXPECT_EQ(got.looked[0].weights.shape(), looked[0].weights.shape());
    EXPECT_EQ(got.looked[0].weights.values<float>(), looked[0].weights.values<float>());
  }
}

// A text, of which some was read before: in steps of bounded size, with what every token saw.
TEST(Score, OfALongTextIsReadInChunks) {
  const FakeDecoder decoder = fake(false);
  std::vector<ScoreRequest> requests(3);
  Random random(kSeed);
  for (ScoreRequest& one : requests) {
    one.end = false;
    for (int i = 0; i < 3; ++i) one.prompt.push_back(static_cast<int32_t>(random.below(40)));
    for (int i = 0; i < 600; ++i) one.target.push_back(static_cast<int32_t>(random.below(40)));
  }
  requests[1].target.clear();
  const std::vector<Scored> got = score(decoder, requests, 2, {.self = true});
  EXPECT_EQ(decoder.most_rows, 2 * 512);
  EXPECT_TRUE(got[1].tokens.empty());
  EXPECT_EQ(got[1].log_prob, 0);
  for (const size_t i : {0, 2}) {
    ASSERT_EQ(got[i].tokens.size(), 600u);
    ASSERT_EQ(got[i].looked.size(), 2u);
    const Tensor& weights = got[i].looked[1].weights;
    ASSERT_EQ(weights.shape(), (Shape{2, 600, 602}));
    Ids prefix = requests[i].prompt;
    for (size_t t = 0; t < 600; ++t) {
      const auto token = static_cast<size_t>(requests[i].target[t]);
      ASSERT_NEAR(got[i].tokens[t], decoder.log_probs_of({}, prefix)[token], 1e-4) << t;
      const std::vector<float> look = decoder.look({}, prefix, static_cast<int64_t>(prefix.size()), 1, 1);
      const float* row = weights.data<float>() + (600 + t) * 602;  // of the second head
      EXPECT_EQ(row[0], look[prefix.size()]);
      EXPECT_EQ(row[prefix.size() - 1], look.back());
      EXPECT_TRUE(prefix.size() == 602 || row[prefix.size()] == 0);
      prefix.push_back(requests[i].target[t]);
    }
  }
}

TEST(Score, CanBeStopped) {
  const FakeDecoder decoder = fake();
  const std::vector<ScoreRequest> requests(5, {.source = {5}, .target = {6}});
  int found = 0, left = 3;
  EXPECT_FALSE(decode::score_all(
      decoder, requests, 1, {}, [&](size_t, const Scored&) { ++found; }, [&] { return left-- == 0; }));
  EXPECT_LT(found, 5);
  EXPECT_GT(found, 0);
}

TEST(Score, TakesTokensThatThereAreOnly) {
  const FakeDecoder decoder = fake();
  EXPECT_THROW(score(decoder, {{.source = {5}, .target = {40}}}, 1), Error);
  EXPECT_THROW(score(decoder, {{.source = {1000}, .target = {4}}}, 1), Error);
  EXPECT_THROW(score(decoder, {}, 0), Error);
  EXPECT_TRUE(score(decoder, {}, 1).empty());
  EXPECT_TRUE(score(decoder, pairs({{5}}, {{6}}), 1)[0].looked.empty());
}

}  // namespace
}  // namespace fovea::testing
