#include "fovea/decode/score.h"

#include <gtest/gtest.h>

#include "fovea/base/error.h"
#include "fovea/decode/search.h"
#include "tests/decode/fake_model.h"

namespace fovea::testing {
namespace {

constexpr uint64_t kSeed = 3;

std::vector<decode::Scored> score(FakeModel& model, const std::vector<Ids>& sources,
                                  const std::vector<Ids>& targets, int64_t batch, bool look = false) {
  std::vector<decode::Scored> all(sources.size());
  decode::score_all(model, sources, targets, batch, look,
                    [&](size_t i, decode::Scored one) { all[i] = std::move(one); });
  return all;
}

FakeModel fake() {
  return FakeModel({.vocabulary = 40, .seed = kSeed, .edit = [](const Ids&, const Ids& prefix, auto& x) {
                      x[data::kEos] += static_cast<float>(prefix.size()) - 4;
                    }});
}

TEST(Score, IsTheSumOverWordsAndEos) {
  FakeModel model = fake();
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
    const std::vector<decode::Scored> got = score(model, sources, targets, batch, true);
    for (size_t i = 0; i < sources.size(); ++i) {
      Ids source = sources[i], prefix;
      source.push_back(data::kEos);
      double sum = 0;
      for (size_t t = 0; t <= targets[i].size(); ++t) {
        const int32_t word = t < targets[i].size() ? targets[i][t] : data::kEos;
        const double want = model.log_probs_of(source, prefix)[static_cast<size_t>(word)];
        EXPECT_NEAR(got[i].words.at(t), want, 1e-5);
        sum += want;
        const std::vector<float> weights = model.look(source, prefix);
        for (int64_t h = 0; h < 2; ++h)
          for (size_t s = 0; s < source.size(); ++s)
            EXPECT_EQ(got[i].look.data<float>()[(static_cast<size_t>(h) * (targets[i].size() + 1) + t) *
                                                    source.size() +
                                                s],
                      weights[static_cast<size_t>(h) * source.size() + s]);
        prefix.push_back(word);
      }
      EXPECT_EQ(got[i].words.size(), targets[i].size() + 1);
      EXPECT_NEAR(got[i].log_prob, sum, 1e-4);
    }
  }
}

TEST(Score, OfATranslationIsWhatTheSearchSaid) {
  FakeModel model = fake();
  const std::vector<Ids> sources = random_sources(kSeed, 20);
  std::vector<Ids> targets(sources.size());
  std::vector<decode::Hypothesis> best(sources.size());
  decode::search_all(model, sources, {.beam_size = 4, .look = true}, 32, 0,
                     [&](size_t i, decode::NBest n_best) {
                       best[i] = n_best.front();
                       targets[i] = best[i].words;
                     });
  const std::vector<decode::Scored> got = score(model, sources, targets, 7, true);
  for (size_t i = 0; i < sources.size(); ++i) {
    ASSERT_TRUE(best[i].ended);
    EXPECT_NEAR(got[i].log_prob, best[i].log_prob, 1e-4);
    EXPECT_EQ(got[i].look.shape(), best[i].look.shape());
    EXPECT_EQ(got[i].look.values<float>(), best[i].look.values<float>());
  }
}

TEST(Score, TakesPairsOnly) {
  FakeModel model = fake();
  EXPECT_THROW(score(model, {{5}}, {}, 1), Error);
  EXPECT_TRUE(score(model, {}, {}, 1).empty());
  EXPECT_FALSE(score(model, {{5}}, {{6}}, 1)[0].look.defined());
}

}  // namespace
}  // namespace fovea::testing
