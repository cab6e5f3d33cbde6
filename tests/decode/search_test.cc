// Every search against the plainest form of itself: all sentences tried out, or one sentence at a time with nothing clever.
#include "fovea/decode/search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "fovea/base/error.h"
#include "fovea/decode/beam.h"
#include "fovea/decode/looks.h"
#include "tests/decode/fake_decoder.h"

namespace fovea::testing {
namespace {

using decode::Hypothesis;
using decode::NBest;
using decode::Options;
using decode::Request;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 20;

Ids with_eos(Ids source) {
  source.push_back(data::kEos);
  return source;
}

bool may_be_chosen(int32_t token, const Options& o) {
  return token != data::kPad && token != data::kSos && (token != data::kUnk || o.allow_unk);
}

void rank(NBest& all) {
  std::stable_sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.ended != b.ended ? a.ended : a.score > b.score;
  });
}

// Every sentence there is, best first.
NBest exhaustive(const FakeDecoder& model, const Ids& source, const Options& o) {
  const int64_t most = decode::most_tokens(static_cast<int64_t>(source.size()), o);
  NBest all;
  std::function<void(const Ids&, double)> grow = [&](const Ids& prefix, double log_prob) {
    const std::vector<double> next = model.log_probs_of(source, prefix);
    for (int32_t token = 0; token < static_cast<int32_t>(next.size()); ++token) {
      if (!may_be_chosen(token, o)) continue;
      const double total = log_prob + next[static_cast<size_t>(token)];
      Ids longer = prefix;
      if (token != data::kEos) longer.push_back(token);
      if (token != data::kEos && static_cast<int64_t>(longer.size()) < most) {
        grow(longer, total);
        continue;
      }
      Hypothesis& said = all.emplace_back();
      said.tokens = longer;
      said.log_prob = total;
      said.ended = token == data::kEos;
      said.score = decode::normalized(total, static_cast<int64_t>(prefix.size()) + 1, o);
    }
  };
  grow({}, 0);
  rank(all);
  return all;
}

// One sentence, all continuations sorted, and no early end.
NBest plain_beam(const FakeDecoder& model, const Ids& source, const Options& o) {
  const int64_t most = decode::most_tokens(static_cast<int64_t>(source.size()), o);
  NBest live(1), done;
  for (int64_t length = 1; !live.empty(); ++length) {
    NBest next;
    for (const Hypothesis& one : live) {
      const std::vector<double> log_probs = model.log_probs_of(source, one.tokens);
      for (int32_t token = 0; token < static_cast<int32_t>(log_probs.size()); ++token) {
        if (!may_be_chosen(token, o)) continue;
        Hypothesis& longer = next.emplace_back(one);
        longer.tokens.push_back(token);
        longer.log_prob += log_probs[static_cast<size_t>(token)];
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.log_prob > b.log_prob; });
    next.resize(std::min(next.size(), static_cast<size_t>(o.beam_size) - done.size()));
    live.clear();
    for (Hypothesis& one : next) {
      one.ended = one.tokens.back() == data::kEos;
      one.score = decode::normalized(one.log_prob, length, o);
      if (one.ended) one.tokens.pop_back();
      (one.ended || length == most ? done : live).push_back(one);
    }
  }
  rank(done);
  done.resize(std::min(done.size(), static_cast<size_t>(o.n_best)));
  return done;
}

std::vector<NBest> run(const FakeDecoder& model, const std::vector<Ids>& sources, const Options& options,
                       int64_t batch = 32, int64_t first_line = 0) {
  std::vector<Request> requests;
  for (const Ids& source : sources)
    requests.push_back({.source = source, .line = first_line + static_cast<int64_t>(requests.size())});
  std::vector<NBest> all(sources.size());
  const bool finished = decode::search(model, requests, options, batch, {.found = [&](size_t i, NBest best) {
                                         EXPECT_TRUE(all[i].empty()) << "found twice: " << i;
                                         all[i] = std::move(best);
                                       }});
  EXPECT_TRUE(finished);
  return all;
}

// Cross-attention [H, T, S].
Tensor weights_of(const Hypothesis& one) {
  return decode::last_layer(decode::join_looks(one.looks), run::Site::kCross);
}

void expect_same(const NBest& got, const NBest& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].tokens, want[i].tokens)
        << "number " << i << ", score " << got[i].score << " for " << want[i].score;
    EXPECT_EQ(got[i].ended, want[i].ended);
    EXPECT_NEAR(got[i].log_prob, want[i].log_prob, 1e-4);
    EXPECT_NEAR(got[i].score, want[i].score, 1e-4);
  }
}

void expect_identical(const NBest& got, const NBest& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].tokens, want[i].tokens);
    EXPECT_EQ(got[i].log_prob, want[i].log_prob);
    EXPECT_EQ(got[i].score, want[i].score);
    EXPECT_EQ(got[i].ended, want[i].ended);
    ASSERT_EQ(got[i].looks.size(), want[i].looks.size());
    for (size_t t = 0; t < want[i].looks.size(); ++t) {
      ASSERT_EQ(got[i].looks[t].size(), want[i].looks[t].size());
      for (size_t n = 0; n < want[i].looks[t].size(); ++n) {
        EXPECT_EQ(got[i].looks[t][n].weights.shape(), want[i].looks[t][n].weights.shape());
        EXPECT_EQ(got[i].looks[t][n].weights.values<float>(), want[i].looks[t][n].weights.values<float>());
      }
    }
  }
}

// Sentences end in about `length` tokens.
FakeDecoder::Options ending(float length, FakeDecoder::Options o) {
  o.edit = [length](const Ids&, const Ids& prefix, std::vector<float>& x) {
    x[data::kEos] += static_cast<float>(prefix.size()) - length;
  };
  return o;
}

std::vector<Options> all_searches() {
  std::vector<Options> all(5);
  all[1].beam_size = 2;
  all[2].beam_size = all[2].n_best = 5;
  all[3].sample = true;
  all[4].beam_size = 4;
  all[4].allow_unk = true;
  for (Options& o : all) o.look = {.self = true, .cross = true};
  return all;
}

TEST(Search, ABeamWithRoomForEverySentenceFindsTheBestOfAll) {
  for (const float normalize : {0.0f, 0.6f, 1.0f, 2.0f})
    for (uint64_t seed = kSeed; seed < kSeed + 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << "normalize " << normalize << ", seed " << seed);
      FakeDecoder model({.vocabulary = 6, .seed = seed});
      Options o{.beam_size = 3000, .n_best = 20, .normalize = normalize, .max_length_factor = 0};
      const std::vector<Ids> sources = random_sources(seed, 2);
      const std::vector<NBest> got = run(model, sources, o);
      for (size_t i = 0; i < sources.size(); ++i) {
        NBest want = exhaustive(model, with_eos(sources[i]), o);
        ASSERT_EQ(want.size(), 2047u);
        want.resize(20);
        expect_same(got[i], want);
      }
    }
}

TEST(Search, ABeamIsThatOfEachSentenceAloneWithoutAnEarlyEnd) {
  int early = 0;
  for (uint64_t seed = kSeed; seed < kSeed + 60; ++seed) {
    Random random(seed);
    FakeDecoder model(
        ending(4, {.vocabulary = 5 + random.below(30), .spread = random.uniform(1, 6), .seed = seed}));
    Options o{.beam_size = 2 + random.below(7), .normalize = random.uniform(0, 1.5f)};
    o.n_best = 1 + random.below(o.beam_size);
    o.max_length_factor = random.uniform(0, 3);
    o.allow_unk = random.below(2) == 0;
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ", beam " << o.beam_size << ", n-best " << o.n_best);
    const std::vector<Ids> sources = random_sources(seed, 9);
    const std::vector<NBest> got = run(model, sources, o, 1 + random.below(9));
    for (size_t i = 0; i < sources.size(); ++i) {
      expect_same(got[i], plain_beam(model, with_eos(sources[i]), o));

      // Alone, a sentence takes as many steps as its longest prefix is long: fewer where it stopped early.
      model.steps = 0;
      run(model, {sources[i]}, o);
      Options all = o;
      all.n_best = o.beam_size;
      int64_t longest = 0;
      for (const Hypothesis& one : plain_beam(model, with_eos(sources[i]), all))
        longest = std::max(longest, static_cast<int64_t>(one.tokens.size()) + one.ended);
      EXPECT_LE(model.steps, longest);
      early += model.steps < longest;
    }
  }
  EXPECT_GT(early, 50) << "the early end was not seen at work";
}

TEST(Search, ABeamOfOneIsGreedySearch) {
  FakeDecoder model(ending(6, {.vocabulary = 50, .seed = kSeed}));
  const std::vector<Ids> sources = random_sources(kSeed, 30);
  const std::vector<NBest> greedy = run(model, sources, {.look = decode::look_at_source()});
  for (size_t i = 0; i < sources.size(); ++i) {
    expect_same(greedy[i], plain_beam(model, with_eos(sources[i]), {}));
    run::Session session(model);
    NBest found;
    auto plan = std::make_shared<decode::Plan>(model, Options{.look = decode::look_at_source()});
    decode::Beam beam(session, session.join({&sources[i], 1})[0], {.request = {}, .plan = plan, .found = {}},
                      {});
    for (bool more = true; more;) {
      std::vector<run::Feed> feeds;
      beam.feed(feeds);
      std::vector<run::Looked> looked;
      Tensor logits = session.advance(feeds, &plan->options.look, &looked);
      beam.fed();
      beam.choose(logits.span<float>(), looked);
      more = beam.settle();
    }
    expect_identical(beam.results(), greedy[i]);
  }
}

TEST(Search, NBestListsAreSortedAndNothingIsInThemTwice) {
  FakeDecoder model(ending(5, {.vocabulary = 20, .seed = kSeed}));
  for (const NBest& best : run(model, random_sources(kSeed, 20), {.beam_size = 8, .n_best = 8})) {
    EXPECT_EQ(best.size(), 8u);
    std::set<Ids> different;
    for (size_t i = 0; i < best.size(); ++i) {
      different.insert(best[i].tokens);
      if (i > 0 && best[i].ended) {
        EXPECT_TRUE(best[i - 1].ended);
        EXPECT_GE(best[i - 1].score, best[i].score);
      }
    }
    EXPECT_EQ(different.size(), best.size());
  }
}

TEST(Search, WhatIsFoundDoesNotDependOnTheBatch) {
  for (const Options& o : all_searches())
    for (uint64_t seed = kSeed; seed < kSeed + 5; ++seed) {
      SCOPED_TRACE(::testing::Message()
                   << "seed " << seed << ", beam " << o.beam_size << ", sample " << o.sample);
      FakeDecoder model(ending(5, {.vocabulary = 30, .seed = seed}));
      const std::vector<Ids> sources = random_sources(seed, 24);
      const std::vector<NBest> alone = run(model, sources, o, 1);
      for (int64_t batch : {2, 7, 24, 100}) {
        const std::vector<NBest> together = run(model, sources, o, batch);
        for (size_t i = 0; i < sources.size(); ++i) expect_identical(together[i], alone[i]);
      }
      // Nor on how the lines were cut into calls, their numbers being the same.
      const std::vector<Ids> later(sources.begin() + 10, sources.end());
      const std::vector<NBest> second = run(model, later, o, 5, 10);
      for (size_t i = 0; i < later.size(); ++i) expect_identical(second[i], alone[i + 10]);
    }
}

TEST(Search, WeightsAreThoseOfTheStepsThatWroteTheTokens) {
  for (const Options& o : all_searches()) {
    SCOPED_TRACE(::testing::Message() << "beam " << o.beam_size << ", sample " << o.sample);
    FakeDecoder model(ending(5, {.vocabulary = 30, .heads = 3, .seed = kSeed}));
    const std::vector<Ids> sources = random_sources(kSeed, 12);
    const std::vector<NBest> found = run(model, sources, o, 5);
    for (size_t i = 0; i < sources.size(); ++i)
      for (const Hypothesis& said : found[i]) {
        const Ids source = with_eos(sources[i]);
        const auto steps = static_cast<int64_t>(said.tokens.size()) + said.ended;
        const auto length = static_cast<int64_t>(source.size());
        const Tensor weights = weights_of(said);
        ASSERT_EQ(weights.shape(), (Shape{3, steps, length}));
        ASSERT_EQ(static_cast<int64_t>(said.looks.size()), steps);
        for (int64_t t = 0; t < steps; ++t) {
          const std::vector<float> want =
              model.look(source, Ids(said.tokens.begin(), said.tokens.begin() + t), length);
          for (int64_t h = 0; h < 3; ++h) {
            const float* row = weights.data<float>() + (h * steps + t) * length;
            EXPECT_NEAR(std::accumulate(row, row + length, 0.0), 1.0, 1e-5);
            EXPECT_EQ(std::vector<float>(row, row + length),
                      std::vector<float>(want.begin() + h * length, want.begin() + (h + 1) * length));
          }
        }
      }
  }
}

TEST(Search, NobodyAskedOrNothingToLookWithMeansNoWeights) {
  for (Options o : all_searches()) {
    FakeDecoder blind(ending(5, {.heads = 0, .seed = kSeed}));
    EXPECT_TRUE(run(blind, random_sources(kSeed, 1), o)[0][0].looks.empty());
    o.look = {};
    FakeDecoder model(ending(5, {.seed = kSeed}));
    EXPECT_TRUE(run(model, random_sources(kSeed, 1), o)[0][0].looks.empty());
  }
}

TEST(Search, SpecialTokensAreNeverChosenHoweverProbable) {
  FakeDecoder model({.vocabulary = 12, .seed = kSeed, .edit = [](const Ids&, const Ids& prefix, auto& x) {
                       x[data::kPad] = x[data::kSos] = 8;
                       x[data::kUnk] = 7;
                       x[data::kEos] += static_cast<float>(prefix.size()) - 5;
                     }});
  for (const Options& o : all_searches()) {
    std::set<int32_t> said;
    for (const NBest& best : run(model, random_sources(kSeed, 20), o))
      for (const Hypothesis& one : best) said.insert(one.tokens.begin(), one.tokens.end());
    EXPECT_FALSE(said.contains(data::kPad) || said.contains(data::kSos) || said.contains(data::kEos));
    EXPECT_EQ(said.contains(data::kUnk), o.allow_unk);
  }
}

TEST(Search, AModelThatNeverEndsIsCutAtTheLimit) {
  FakeDecoder model({.vocabulary = 12, .seed = kSeed, .edit = [](const Ids&, const Ids&, auto& x) {
                       x[data::kEos] = -std::numeric_limits<float>::infinity();
                     }});
  for (Options o : all_searches()) {
    o.max_length_factor = 1.5f;
    const std::vector<Ids> sources = random_sources(kSeed, 9);
    const std::vector<NBest> found = run(model, sources, o);
    for (size_t i = 0; i < sources.size(); ++i) {
      EXPECT_FALSE(found[i][0].ended);
      const double source = static_cast<double>(sources[i].size()) + 1;
      EXPECT_EQ(found[i][0].tokens.size(), static_cast<size_t>(std::ceil(1.5 * source)) + 10);
      EXPECT_EQ(found[i][0].looks.size(), found[i][0].tokens.size());
      EXPECT_NEAR(found[i][0].score,
                  found[i][0].log_prob / std::pow(static_cast<double>(found[i][0].tokens.size()), 0.6f),
                  1e-9);
    }
  }
}

TEST(Search, OneThatEndedComesBeforeBetterOnesThatWereCut) {
  // "4 4 4 ..." is nearly certain and has no end; "5" ends at once.
  FakeDecoder model({.vocabulary = 6, .edit = [](const Ids&, const Ids& prefix, auto& x) {
                       x = {-30, -30, -30, -30, 5, prefix.empty() ? 1.0f : -30.0f};
                       if (!prefix.empty() && prefix.back() == 5) x[data::kEos] = 30;
                     }});
  const NBest best = run(model, {{7}}, {.beam_size = 2, .n_best = 2}).front();
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].tokens, Ids{5});
  EXPECT_TRUE(best[0].ended);
  EXPECT_FALSE(best[1].ended);
  EXPECT_GT(best[1].score, best[0].score);
}

TEST(Search, AnEmptySourceHasAnEmptyTranslationAndAsksNoModel) {
  FakeDecoder model(ending(5, {.seed = kSeed}));
  const std::vector<NBest> found = run(model, {{}, {5, 6}, {}}, {.beam_size = 3, .n_best = 3});
  for (size_t i : {0, 2}) {
    ASSERT_EQ(found[i].size(), 1u);
    EXPECT_TRUE(found[i][0].tokens.empty());
    EXPECT_TRUE(found[i][0].ended);
  }
  EXPECT_FALSE(found[1].empty());
  model.steps = 0;
  run(model, {{}, {}}, {});
  EXPECT_EQ(model.steps, 0);
  EXPECT_TRUE(run(model, {}, {}).empty());
}

TEST(Search, AModelWithoutNumbersIsAnErrorThatNamesTheLine) {
  FakeDecoder model({.edit = [](const Ids& source, const Ids& prefix, auto& x) {
    if (source.size() == 3 && prefix.size() == 2) x[4] = std::numeric_limits<float>::quiet_NaN();
    x[data::kEos] = -9;
  }});
  for (const Options& o : all_searches()) {
    try {
      run(model, {{5}, {5, 6}}, o, 4, 100);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("[decode] line 102: the model gives no probabilities"));
    }
  }
}

TEST(Search, OptionsOutOfRangeAreErrors) {
  FakeDecoder model({});
  auto complaint = [&](Options o) -> std::string {
    try {
      run(model, {{5}}, o);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint({.beam_size = 0}), HasSubstr("a beam of 0"));
  EXPECT_THAT(complaint({.beam_size = 10'001}), HasSubstr("expected 1 to 10000"));
  EXPECT_THAT(complaint({.beam_size = 2, .n_best = 3}), HasSubstr("the best 3 of a beam of 2"));
  EXPECT_THAT(complaint({.normalize = -1}), HasSubstr("normalize -1"));
  EXPECT_THAT(complaint({.max_length_factor = -1}), HasSubstr("expected 0 to 1000"));
  EXPECT_THAT(complaint({.beam_size = 2, .sample = true}), HasSubstr("a beam of 2 with sampling"));
  EXPECT_THAT(complaint({.sample = true, .sampling = {.temperature = 0}}), HasSubstr("a temperature of 0"));
  EXPECT_THAT(complaint({.sample = true, .sampling = {.top_k = -1}}), HasSubstr("top-k -1"));
  EXPECT_THAT(complaint({.sample = true, .sampling = {.top_p = 0}}), HasSubstr("top-p 0"));
}

}  // namespace
}  // namespace fovea::testing
