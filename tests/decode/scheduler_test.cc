// Requests that join, stop and leave at any time, each with options of its own, find what they find alone.
#include "fovea/decode/scheduler.h"

#include <gmock/gmock.h>

#include "fovea/decode/search.h"
#include "tests/decode/fake_decoder.h"
#include "tests/error_message.h"

namespace fovea::testing {
namespace {

using decode::Full;
using decode::Job;
using decode::NBest;
using decode::Options;
using decode::Plan;
using decode::Request;
using decode::Scheduler;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 31;

// Ends in about 5 tokens; one that reads no source continues prompts.
FakeDecoder fake(uint64_t seed, bool reads_source = true, int64_t longest = 0) {
  FakeDecoder::Options o{.vocabulary = 25, .seed = seed, .reads_source = reads_source, .longest = longest};
  o.edit = [](const Ids&, const Ids& prefix, std::vector<float>& x) {
    x[data::kEos] += static_cast<float>(prefix.size()) - 5;
  };
  return FakeDecoder(std::move(o));
}

Options random_options(Random& random) {
  Options o;
  o.beam_size = 1 + random.below(4);
  o.n_best = 1 + random.below(o.beam_size);
  o.sample = o.beam_size == 1 && random.below(2);
  o.min_tokens = random.below(4);
  o.max_tokens = 1 + random.below(12) + o.min_tokens;
  o.repetition_penalty = random.below(2) ? 1.0f : 1.5f;
  o.allow_unk = random.below(2) == 0;
  if (random.below(2)) o.look = {.self = random.below(2) == 0, .cross = true};
  return o;
}

void expect_identical(const NBest& got, const NBest& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].tokens, want[i].tokens);
    EXPECT_EQ(got[i].log_prob, want[i].log_prob);
    EXPECT_EQ(got[i].score, want[i].score);
    EXPECT_EQ(got[i].ended, want[i].ended);
    ASSERT_EQ(got[i].looks.size(), want[i].looks.size());
    for (size_t t = 0; t < want[i].looks.size(); ++t)
      for (size_t n = 0; n < want[i].looks[t].size(); ++n)
        EXPECT_EQ(got[i].looks[t].at(n).weights.values<float>(), want[i].looks[t][n].weights.values<float>());
  }
}

TEST(Scheduler, RequestsFindWhatTheyFindAloneWhateverJoinsStopsAndLeavesBesideThem) {
  for (uint64_t seed = kSeed; seed < kSeed + 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const bool reads_source = random.below(2) == 0;
    const FakeDecoder decoder = fake(seed, reads_source);
    const std::vector<Ids> texts = random_sources(seed, 40);
    run::Session session(decoder);
    const run::Sequence other = reads_source ? session.join({&texts[0], 1})[0] : session.join();
    {
      Scheduler scheduler(session);
      std::vector<NBest> found(texts.size());
      std::vector<Request> requests;
      std::vector<Options> options;
      std::vector<bool> stopped(texts.size());
      while (requests.size() < texts.size() || scheduler.size() > 0) {
        std::vector<Job> jobs;
        for (int64_t n = random.below(5); n > 0 && requests.size() < texts.size(); --n) {
          const size_t i = requests.size();
          Ids prompt = texts[i];
          for (int32_t& id : prompt) id = 4 + id % 20;
          requests.push_back(reads_source ? Request{.source = texts[i], .line = static_cast<int64_t>(i)}
                                          : Request{.prompt = prompt, .line = static_cast<int64_t>(i)});
          options.push_back(random_options(random));
          const int64_t until = random.below(4) == 0 ? random.below(5) : 1000;  // some are stopped
          jobs.push_back({.request = requests.back(),
                          .plan = std::make_shared<Plan>(decoder, options.back()),
                          .found = [&, i](NBest best) { found[i] = std::move(best); },
                          .stop =
                              [&stopped, i, left = until]() mutable {
                                if (left-- == 0) stopped[i] = true;
                                return stopped[i];
                              }});
        }
        scheduler.add(std::move(jobs));
        scheduler.step();
      }
      int64_t count = 0;
      for (size_t i = 0; i < texts.size(); ++i) {
        count += stopped[i];
        if (stopped[i])
          EXPECT_TRUE(found[i].empty());
        else
          expect_identical(found[i], decode::search(decoder, requests[i], options[i]));
      }
      EXPECT_GT(count, 0);
    }
    EXPECT_EQ(session.sequences(), 1) << "what others have in the session stays, and nothing else";
    session.leave(other);
  }
}

TEST(Scheduler, ASchedulerThatIsGivenUpLeavesTheSessionAsItWas) {
  const FakeDecoder decoder = fake(kSeed);
  run::Session session(decoder);
  {
    Scheduler scheduler(session);
    std::vector<Job> jobs;
    for (const Ids& source : random_sources(kSeed, 5))
      jobs.push_back({.request = {.source = source},
                      .plan = std::make_shared<Plan>(decoder, Options{.beam_size = 4, .min_tokens = 9}),
                      .found = [](NBest) { ADD_FAILURE() << "nothing was finished"; }});
    scheduler.add(std::move(jobs));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(scheduler.step());
    EXPECT_EQ(session.sequences(), 20);
  }
  EXPECT_EQ(session.sequences(), 0);
}

TEST(Search, StopIsAskedBeforeEveryStep) {
  const FakeDecoder decoder = fake(kSeed);
  const std::vector<Request> requests(3, {.source = {5, 6, 7}});
  for (int64_t steps = 0; steps < 4; ++steps) {
    decoder.steps = 0;
    int64_t left = steps;
    EXPECT_FALSE(decode::search(decoder, requests, {.beam_size = 3, .min_tokens = 9}, 2,
                                {.found = [](size_t, NBest) {}, .stop = [&] { return left-- == 0; }}));
    EXPECT_EQ(decoder.steps, steps);
  }
}

TEST(Search, TokensComeOneByOneAndCanBeStopped) {
  const FakeDecoder decoder = fake(kSeed);
  std::vector<Request> requests;
  for (const Ids& source : random_sources(kSeed, 9)) requests.push_back({.source = source});
  std::vector<Ids> came(requests.size());
  std::vector<double> log_probs(requests.size());
  decode::SearchCalls calls;
  calls.on_token = [&](size_t i, const decode::Token& token) {
    came[i].push_back(token.id);
    log_probs[i] += static_cast<double>(token.log_prob);
    return i != 4 || came[i].size() < 2;
  };
  calls.found = [&](size_t i, const NBest& best) {
    EXPECT_EQ(best[0].tokens, came[i]);
    if (i == 4) {
      EXPECT_FALSE(best[0].ended);
      EXPECT_EQ(best[0].tokens.size(), 2u);
      EXPECT_NEAR(best[0].log_prob, log_probs[i], 1e-9);
    }
    came[i].push_back(-1);
  };
  EXPECT_TRUE(decode::search(decoder, requests, {.min_tokens = 3}, 4, calls));
  for (const Ids& ids : came) EXPECT_EQ(ids.back(), -1);
}

TEST(Search, LongPromptsAreReadInChunksAndProgressIsTold) {
  const FakeDecoder decoder = fake(kSeed, false);
  Request request;
  for (int i = 0; i < 1300; ++i) request.prompt.push_back(4 + i % 20);
  std::vector<std::pair<int64_t, int64_t>> progress;
  int64_t left = 1000;
  decode::SearchCalls calls;
  calls.found = [](size_t, const NBest& best) { EXPECT_FALSE(best[0].tokens.empty()); };
  calls.on_prefill = [&](size_t, int64_t read, int64_t of) { progress.emplace_back(read, of); };
  calls.stop = [&] { return left-- == 0; };
  const Options options{.min_tokens = 1, .max_tokens = 3};
  EXPECT_TRUE(decode::search(decoder, {&request, 1}, options, 1, calls));
  EXPECT_EQ(progress, (std::vector<std::pair<int64_t, int64_t>>{{512, 1300}, {1024, 1300}, {1300, 1300}}));
  EXPECT_EQ(decoder.most_rows, 512);

  // It can be stopped between them.
  progress.clear();
  left = 2;
  EXPECT_FALSE(decode::search(decoder, {&request, 1}, options, 1, calls));
  EXPECT_EQ(progress.size(), 2u);

  // Many prompts take turns, and find what they find alone.
  left = 1000;
  const std::vector<Request> many(9, request);
  const Ids alone = decode::search(decoder, request, options)[0].tokens;
  calls.found = [&](size_t, const NBest& best) { EXPECT_EQ(best[0].tokens, alone); };
  EXPECT_TRUE(decode::search(decoder, many, options, 9, calls));
  EXPECT_LE(decoder.most_rows, 2048 + 9);
}

TEST(Search, EveryEndOfSequenceTokenEndsAHypothesis) {
  FakeDecoder::Options o{.vocabulary = 12, .seed = kSeed, .ends = {3, 7, 100}};
  const FakeDecoder decoder(std::move(o));
  for (const int64_t beam : {1, 4}) {
    bool by_other = false;
    for (const Ids& source : random_sources(kSeed, 30)) {
      const NBest best = decode::search(decoder, {.source = source}, {.beam_size = beam, .ends = {9, -1}});
      for (const int32_t id : best[0].tokens) EXPECT_TRUE(id != 3 && id != 7 && id != 9);
      Ids prefix = best[0].tokens, read = source;
      read.push_back(data::kEos);
      const std::vector<double> next = decoder.log_probs_of(read, prefix);
      if (beam == 1 && best[0].ended) by_other |= next[7] > next[3] || next[9] > next[3];
      const NBest longer =
          decode::search(decoder, {.source = source}, {.beam_size = beam, .min_tokens = 6, .ends = {9}});
      EXPECT_GE(longer[0].tokens.size(), 6u);
      const NBest endless =
          decode::search(decoder, {.source = source},
                         {.beam_size = beam, .max_tokens = 30, .ignore_end = true, .ends = {9}});
      EXPECT_EQ(endless[0].tokens.size(), 30u);
      EXPECT_FALSE(endless[0].ended);
    }
    EXPECT_EQ(by_other, beam == 1);
  }
}

TEST(Search, IdsThatNoTokenizerCanWriteAreNeverChosen) {
  FakeDecoder::Options o{.vocabulary = 20, .seed = kSeed};
  o.edit = [](const Ids&, const Ids&, std::vector<float>& x) {
    for (size_t v = 15; v < 20; ++v) x[v] += 6;
  };
  const FakeDecoder decoder(std::move(o));
  for (Options options : {Options{}, Options{.beam_size = 3}, Options{.sample = true}}) {
    options.max_tokens = 20;
    options.usable_ids = 15;
    for (const Ids& source : random_sources(kSeed, 10)) {
      const NBest best = decode::search(decoder, {.source = source}, options);
      for (const int32_t id : best[0].tokens) EXPECT_LT(id, 15);
    }
  }
}

TEST(Search, ARepetitionPenaltyMakesWhatIsThereLessProbable) {
  FakeDecoder::Options o{.vocabulary = 10, .reads_source = false, .ends = {}};
  o.edit = [](const Ids&, const Ids& prefix, std::vector<float>& x) {
    x.assign(10, -9);
    x[4] = 4, x[5] = 3, x[6] = 2;
    if (prefix.size() > 20) x[7] = 1;
  };
  const FakeDecoder decoder(std::move(o));
  for (const int64_t beam : {1, 2}) {
    Options options{.beam_size = beam, .max_tokens = 3};
    EXPECT_EQ(decode::search(decoder, {.prompt = {8}}, options)[0].tokens, (Ids{4, 4, 4}));
    options.repetition_penalty = 2.5;
    const NBest best = decode::search(decoder, {.prompt = {8}}, options);
    EXPECT_TRUE(beam > 1 || best[0].tokens == (Ids{4, 5, 6}));
    EXPECT_NE(best[0].tokens[0], best[0].tokens[1]);
    // What the prompt has counts, too.
    EXPECT_EQ(decode::search(decoder, {.prompt = {4, 5}}, options)[0].tokens[0], 6);
  }
}

TEST(Search, AFullSequenceEndsFailsOrGoesOnInAWindow) {
  const FakeDecoder decoder = fake(kSeed, false, 16);
  const Request request{.prompt = {5, 6, 7, 8}};
  Options options{.max_tokens = 60, .ignore_end = true};
  for (const int64_t beam : {1, 3}) {
    options.beam_size = beam;
    EXPECT_EQ(decode::search(decoder, request, options)[0].tokens.size(), 13u);  // the last is not read
  }
  options.beam_size = 1;
  options.full = Full::kError;
  EXPECT_THAT(error_of([&] { decode::search(decoder, request, options); }),
              HasSubstr("after 13 tokens the text is as long as this model can read, 16"));
  options.full = Full::kWindow;
  const NBest best = decode::search(decoder, request, options);
  ASSERT_EQ(best[0].tokens.size(), 60u);
  // The newest half, and what came after it, is what the model sees.
  Ids seen = request.prompt;
  for (const int32_t token : best[0].tokens) {
    const std::vector<double> next = decoder.log_probs_of({}, seen);
    double most = -1e9;
    for (int32_t v = 0; v < 25; ++v)
      if (v != data::kEos) most = std::max(most, next[static_cast<size_t>(v)]);
    EXPECT_EQ(next[static_cast<size_t>(token)], most);
    seen.push_back(token);
    if (seen.size() > 16) seen.erase(seen.begin(), seen.end() - 8);
  }
}

TEST(Search, ATextNeedsALimitAndABeginning) {
  const FakeDecoder endless = fake(kSeed, false);
  EXPECT_THAT(error_of([&] { decode::search(endless, {.prompt = {5}}, {}); }),
              HasSubstr("no limit of length"));
  FakeDecoder::Options o{.reads_source = false, .ids = {.sos = -1}};
  const FakeDecoder decoder(std::move(o));
  EXPECT_THAT(error_of([&] { decode::search(decoder, {}, {.max_tokens = 3}); }),
              HasSubstr("nothing to continue"));
  EXPECT_THAT(error_of([&] { decode::search(decoder, {.prompt = {5}}, {.stop = {"a"}}); }),
              HasSubstr("without a tokenizer"));
  EXPECT_THAT(error_of([&] { decode::search(fake(kSeed), {.source = {5}}, {.full = Full::kWindow}); }),
              HasSubstr("only texts have one"));
}

}  // namespace
}  // namespace fovea::testing
