// What every decoder owes to those who grow sequences over it.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "fovea/base/random.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/run/session.h"
#include "tests/models/kinds.h"

namespace fovea::run {
namespace {

using models::kSource;
using models::kTarget;

std::vector<models::Kind> kinds() {
  std::vector<models::Kind> all = models::translators();
  for (const models::Kind& kind : models::language_models()) all.push_back(kind);
  return all;
}

struct Case {
  models::Kind kind;
  Precision precision;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const models::Kind& kind : kinds())
    for (const Precision precision : {Precision::kF32, Precision::kInt8}) all.push_back({kind, precision});
  return all;
}

class EveryDecoder : public ::testing::TestWithParam<Case> {
 protected:
  std::shared_ptr<const Decoder> decoder() const {
    const auto net = models::make_net(GetParam().kind.config, 7);
    return decoder_of(*net, GetParam().precision);
  }

 private:
  models::OneThread one_thread_;
};
INSTANTIATE_TEST_SUITE_P(Every, EveryDecoder, ::testing::ValuesIn(cases()), [](const auto& info) {
  return models::test_name(info.param.kind.name + " " + std::string(name_of(info.param.precision)));
});

std::vector<int32_t> random_ids(Random& random, int64_t count, int64_t vocab) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<int32_t>(4 + random.below(static_cast<uint32_t>(vocab - 4))));
  return ids;
}

// One sequence: what it was fed, and what came of it.
struct Life {
  std::vector<int32_t> source;
  std::vector<std::vector<int32_t>> fed;
  std::vector<std::vector<float>> logits;  // of all tokens of each feed
  Sequence sequence = -1;
};

std::vector<Sequence> join(Session& session, const std::vector<std::vector<int32_t>>& sources) {
  return session.join(sources);
}

// The same life alone.
void expect_same_alone(const Decoder& decoder, const Life& life) {
  Session session(decoder);
  const Sequence s = join(session, {life.source}).front();
  for (size_t i = 0; i < life.fed.size(); ++i) {
    const Feed feed{s, life.fed[i], Feed::kAll};
    EXPECT_EQ(session.advance({&feed, 1}).values<float>(), life.logits[i]) << "feed " << i;
  }
}

// Sequences join, advance in random company, fork and leave, all by `seed`.
std::vector<Life> random_lives(const Decoder& decoder, uint64_t seed) {
  Random random(seed);
  Session session(decoder);
  std::vector<Life> lives;
  std::vector<size_t> here;
  const bool reads = decoder.info().reads_source;
  for (int round = 0; round < 14; ++round) {
    if (here.size() < 5 && random.below(2) == 0) {
      std::vector<std::vector<int32_t>> sources(1 + random.below(3));
      for (std::vector<int32_t>& source : sources)
        if (reads) source = random_ids(random, random.below(8), decoder.info().source_vocab);
      const std::vector<Sequence> joined = join(session, sources);
      for (size_t i = 0; i < joined.size(); ++i) {
        here.push_back(lives.size());
        lives.push_back({sources[i], {}, {}, joined[i]});
      }
    }
    if (!here.empty() && random.below(3) == 0) {
      const Life& parent = lives[here[random.below(static_cast<uint32_t>(here.size()))]];
      Life child = parent;
      child.sequence = session.fork(parent.sequence);
      here.push_back(lives.size());
      lives.push_back(std::move(child));
    }
    std::vector<Feed> feeds;
    std::vector<size_t> who;
    for (const size_t i : here) {
      if (random.below(4) == 0 || session.length(lives[i].sequence) > 20) continue;
      lives[i].fed.push_back(random_ids(random, random.below(3) == 0 ? 1 + random.below(4) : 1, kTarget));
      who.push_back(i);
    }
    for (const size_t i : who) feeds.push_back({lives[i].sequence, lives[i].fed.back(), Feed::kAll});
    const std::vector<float> logits = session.advance(feeds).values<float>();
    auto at = logits.begin();
    for (const size_t i : who) {
      const auto end = at + static_cast<std::ptrdiff_t>(lives[i].fed.back().size()) * decoder.info().vocab;
      lives[i].logits.emplace_back(at, end);
      at = end;
    }
    if (!here.empty() && random.below(4) == 0) {
      const size_t leaving = random.below(static_cast<uint32_t>(here.size()));
      session.leave(lives[here[leaving]].sequence);
      here.erase(here.begin() + static_cast<std::ptrdiff_t>(leaving));
    }
  }
  EXPECT_EQ(session.sequences(), static_cast<int64_t>(here.size()));
  for (const size_t i : here) session.leave(lives[i].sequence);
  EXPECT_EQ(session.cache_bytes(), 0);
  return lives;
}

TEST_P(EveryDecoder, SequenceHasTheSameBitsWhateverIsBesideIt) {
  const auto decoder = this->decoder();
  for (const uint64_t seed : {1, 2}) {
    SCOPED_TRACE(seed);
    for (const Life& life : random_lives(*decoder, seed)) expect_same_alone(*decoder, life);
  }
}

TEST_P(EveryDecoder, ServesSeveralThreadsAtOnce) {
  const auto decoder = this->decoder();
  const std::vector<Life> want = random_lives(*decoder, 3);
  for (const int count : {2, 8}) {
    std::vector<std::vector<Life>> got(static_cast<size_t>(count));
    std::vector<std::thread> threads;
    for (std::vector<Life>& lives : got) threads.emplace_back([&] { lives = random_lives(*decoder, 3); });
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<Life>& lives : got) {
      ASSERT_EQ(lives.size(), want.size());
      for (size_t i = 0; i < lives.size(); ++i) EXPECT_EQ(lives[i].logits, want[i].logits);
    }
  }
}

double log_prob(const float* logits, int64_t vocab, int32_t token) {
  double sum = 0;
  for (int64_t v = 0; v < vocab; ++v) sum += std::exp(static_cast<double>(logits[v]));
  return static_cast<double>(logits[token]) - std::log(sum);
}

// Of a batch of one, the cost that the net learns from.
TEST_P(EveryDecoder, SaysWhatTheNetWasTaught) {
  const models::Kind& kind = GetParam().kind;
  const auto net = models::make_net(kind.config, 7);
  const auto decoder = decoder_of(*net, GetParam().precision);
  for (const uint64_t seed : {1, 2, 3}) {
    Random random(seed);
    const data::Batch batch = models::random_batch(
        {{static_cast<int>(1 + random.below(7)), static_cast<int>(1 + random.below(7))}}, seed);
    data::Batch taught = batch;
    if (!decoder->info().reads_source) taught.source = {};
    const double want = net->cost(taught, {}).cross_entropy;
    Session session(*decoder);
    std::vector<int32_t> source;
    if (decoder->info().reads_source) {
      source = batch.source.ids.values<int32_t>();
      source.pop_back();  // its end-of-sequence token
    }
    const Sequence s = join(session, {source}).front();
    const std::vector<int32_t> in = batch.target_in.values<int32_t>();
    const Feed feed{s, in, Feed::kAll};
    const Tensor logits = session.advance({&feed, 1});
    double cost = 0;
    for (size_t t = 0; t < in.size(); ++t)
      cost -= log_prob(logits.data<float>() + static_cast<int64_t>(t) * kTarget, kTarget,
                       batch.target_out.data<int32_t>()[t]);
    EXPECT_NEAR(cost, want,
                (GetParam().precision == Precision::kInt8 ? 0.05 : 2e-5) * static_cast<double>(in.size()));
  }
}

TEST_P(EveryDecoder, TokensOneByOneSayWhatTheySayTogether) {
  const auto decoder = this->decoder();
  Random random(5);
  const std::vector<int32_t> source = decoder->info().reads_source ? random_ids(random, 6, kSource)
                                                                   : std::vector<int32_t>{},
                             tokens = random_ids(random, 9, kTarget);
  LookAt at{.encoder = false, .self = true, .cross = true, .layers = {}, .heads = {}, .every_row = true};
  Session session(*decoder);
  const std::vector<Sequence> s = join(session, {source, source, source});
  std::vector<Looked> whole, parts;
  const Feed all{s[0], tokens, Feed::kAll};
  const Tensor want = session.advance({&all, 1}, &at, &whole);
  const float tolerance = GetParam().precision == Precision::kInt8 ? 0.02f : 1e-5f;
  for (size_t t = 0; t < tokens.size(); ++t) {
    const Feed one{s[1], std::span(tokens).subspan(t, 1)};
    const Tensor got = session.advance({&one, 1}, &at, &parts);
    for (int64_t v = 0; v < kTarget; ++v)
      ASSERT_NEAR(got.data<float>()[v], want.data<float>()[static_cast<int64_t>(t) * kTarget + v], tolerance);
    ASSERT_EQ(parts.front().size(), whole.front().size());
    for (size_t i = 0; i < parts.front().size(); ++i) {
      const Tensor &mine = parts.front()[i].weights, &theirs = whole.front()[i].weights;
      EXPECT_EQ(parts.front()[i].site, whole.front()[i].site);
      ASSERT_EQ(mine.dim(0), theirs.dim(0));
      for (int64_t h = 0; h < mine.dim(0); ++h)
        for (int64_t j = 0; j < mine.dim(2); ++j)
          ASSERT_NEAR(mine.data<float>()[h * mine.dim(2) + j],
                      theirs.data<float>()[(h * theirs.dim(1) + static_cast<int64_t>(t)) * theirs.dim(2) + j],
                      tolerance);
    }
  }
  // In chunks.
  for (size_t t = 0; t < tokens.size(); t += 4) {
    const size_t count = std::min<size_t>(4, tokens.size() - t);
    const Feed chunk{s[2], std::span(tokens).subspan(t, count), Feed::kAll};
    const Tensor got = session.advance({&chunk, 1});
    for (int64_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got.data<float>()[i], want.data<float>()[static_cast<int64_t>(t) * kTarget + i], tolerance);
  }
}

TEST_P(EveryDecoder, ACacheOf16BitsIsNear) {
  const auto decoder = this->decoder();
  Random random(6);
  const std::vector<int32_t> source = decoder->info().reads_source ? random_ids(random, 6, kSource)
                                                                   : std::vector<int32_t>{},
                             tokens = random_ids(random, 9, kTarget);
  Session whole(*decoder), half(*decoder, {.cache = CacheType::kF16});
  const Sequence a = join(whole, {source}).front(), b = join(half, {source}).front();
  for (const int32_t token : tokens) {
    const Feed one{a, {&token, 1}}, other{b, {&token, 1}};
    const Tensor want = whole.advance({&one, 1}), got = half.advance({&other, 1});
    for (int64_t v = 0; v < kTarget; ++v) ASSERT_NEAR(got.data<float>()[v], want.data<float>()[v], 0.01f);
  }
  EXPECT_EQ(2 * half.cache_bytes(), whole.cache_bytes());
}

}  // namespace
}  // namespace fovea::run
