#include "fovea/decode/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/base/utf8.h"
#include "fovea/data/hf_tokenizer.h"
#include "tests/decode/fake_decoder.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::decode {
namespace {

using fovea::testing::FakeDecoder;
using fovea::testing::Ids;
using ::testing::HasSubstr;

const std::vector<std::string>& lines() {
  static const std::vector<std::string> text = {"the cat sat on the mat. é\n", "a dog ran.\n"};
  return text;
}

run::LoadedDecoder model(int64_t longest = 64, const std::string& kind = "byte") {
  const std::shared_ptr<const data::Tokenizer> tokenizer =
      data::train_tokenizer(lines(), {.kind = kind, .vocab_size = kind == "bpe" ? 300 : 0});
  FakeDecoder::Options o{.vocabulary = tokenizer->size(), .heads = 4, .seed = 3};
  o.reads_source = false;
  o.longest = longest;
  o.edit = [](const Ids&, const Ids&, std::vector<float>& x) {
    x[0] = x[1] = x[2] = -20;
  };  // what has no text
  return {std::make_shared<FakeDecoder>(std::move(o)), tokenizer, tokenizer};
}

std::string written(const Options& options, const std::string& prompt, run::LoadedDecoder m = model()) {
  std::string streamed;
  const Generated made = Generator(std::move(m), options)(prompt, [&](std::string_view text) {
    EXPECT_EQ(find_invalid_utf8(text), std::string_view::npos);
    streamed += text;
    return true;
  });
  EXPECT_EQ(streamed, made.text);
  return made.text;
}

TEST(Generate, TheSameSeedWritesTheSameText) {
  Options options{.max_tokens = 30, .sample = true};
  const std::string first = written(options, "the");
  EXPECT_EQ(written(options, "the"), first);
  options.sampling.seed = 2;
  EXPECT_NE(written(options, "the"), first);
}

TEST(Generate, GreedyIsTheMostProbableTokenEachTime) {
  const run::LoadedDecoder m = model();
  const Generated made = Generator(m, {.max_tokens = 20})("the cat", [](std::string_view) { return true; });
  std::vector<int32_t> ids = made.prompt;
  ASSERT_EQ(made.ids.size(), 20u);
  for (const int32_t id : made.ids) {
    const std::vector<float> logits = dynamic_cast<const FakeDecoder&>(*m.decoder).logits({}, ids);
    EXPECT_EQ(std::max_element(logits.begin(), logits.end()) - logits.begin(), id);
    ids.push_back(id);
  }
}

TEST(Generate, ABeamFindsMoreProbableTextsAndStreamsTheBest) {
  const Options greedy{.max_tokens = 12, .ignore_end = true};
  Options beam = greedy;
  beam.beam_size = beam.n_best = 6;
  const Generator generator(model(), beam);
  const std::vector<Generated> best = generator.best(generator.prompt_ids("the cat"));
  ASSERT_EQ(best.size(), 6u);
  const Generated one = Generator(model(), greedy)("the cat", [](std::string_view) { return true; });
  EXPECT_GT(best[0].log_prob, one.log_prob);
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(best[i].ids.size(), 12u);
    EXPECT_GE(best[i > 0 ? i - 1 : 0].score, best[i].score);
  }
  EXPECT_EQ(written(beam, "the cat"), best[0].text);
}

TEST(Generate, ABeamStopsAtAStopStringToo) {
  Options beam{.beam_size = 4, .n_best = 4, .max_tokens = 30};
  const Generator whole(model(64, "char"), beam);
  const std::string text = whole.best(whole.prompt_ids("the"))[0].text;
  ASSERT_GT(text.size(), 9u);
  beam.stop = {text.substr(3, 2)};
  const Generator stopping(model(64, "char"), beam);
  bool stopped = false;
  for (const Generated& one : stopping.best(stopping.prompt_ids("the"))) {
    EXPECT_EQ(one.text.find(beam.stop[0]), std::string::npos) << one.text;
    stopped |= one.ended && stopping.model().target->decode(one.ids).ends_with(beam.stop[0]);
  }
  EXPECT_TRUE(stopped);
}

TEST(Generate, TheFirstNewWordStandsApartFromThePrompt) {
  const Options options{.max_tokens = 3, .ignore_end = true};
  const std::string text = written(options, "the cat", model(64, "word"));
  EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 3) << text;
  EXPECT_TRUE(text.starts_with(' ')) << text;
}

// Only the newest tokens are decoded as they come; characters of several bytes are among them.
TEST(Generate, WhatIsStreamedIsTheTextOfAllTokens) {
  for (const char* kind : {"byte", "char", "word", "bpe"}) {
    const run::LoadedDecoder m = model(512, kind);
    for (const uint64_t seed : {1, 2, 3}) {
      std::string streamed;
      const Generated made = Generator(m, {.max_tokens = 300,
                                           .ignore_end = true,
                                           .sample = true,
                                           .sampling = {.temperature = 2, .seed = seed}})(
          "the cat sat on the mat. the cat", [&](std::string_view text) {
            streamed += text;
            return true;
          });
      std::vector<int32_t> all = made.prompt;
      const size_t before = m.target->decode(all).size();
      all.insert(all.end(), made.ids.begin(), made.ids.end());
      EXPECT_EQ(streamed, m.target->decode(all).substr(before)) << kind << ", seed " << seed;
    }
  }
}

// Says what it is told to, whatever it reads.
std::shared_ptr<const run::Decoder> scripted(std::vector<int32_t> script, int64_t vocab, size_t prompt) {
  FakeDecoder::Options o{.vocabulary = vocab};
  o.reads_source = false;
  o.ends = {2, 3, 1'000'000};
  o.edit = [script, prompt](const Ids&, const Ids& prefix, std::vector<float>& x) {
    x.assign(x.size(), 0.0f);
    x[static_cast<size_t>(script[(prefix.size() - prompt) % script.size()])] = 9;
  };
  return std::make_shared<FakeDecoder>(std::move(o));
}

// The same with a tokenizer of Llama's kind, for the prompt "a": with a piece for each byte of what is in no other.
run::LoadedDecoder parrot(std::vector<int32_t> script) {
  nlohmann::json vocab = {{"<unk>", 0}, {"<s>", 1}, {"</s>", 2}, {"<end>", 3}, {"▁a", 4}};
  for (int byte = 0; byte < 256; ++byte) vocab[fmt::format("<0x{:02X}>", byte)] = 5 + byte;
  const nlohmann::json json = {{"added_tokens", nlohmann::json::array()},
                               {"decoder",
                                {{"type", "Sequence"},
                                 {"decoders",
                                  {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                                   {{"type", "ByteFallback"}},
                                   {{"type", "Fuse"}},
                                   {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
                               {"normalizer", {{"type", "Prepend"}, {"prepend", "▁"}}},
                               {"model",
                                {{"type", "BPE"},
                                 {"unk_token", "<unk>"},
                                 {"byte_fallback", true},
                                 {"vocab", vocab},
                                 {"merges", nlohmann::json::array()}}}};
  TemporaryDirectory dir;
  std::ofstream(dir / "tokenizer.json") << json.dump();
  const auto tokenizer = data::read_hf_tokenizer(dir.path()).source;
  return {scripted(std::move(script), tokenizer->size(), tokenizer->encode("a").size()), tokenizer,
          tokenizer};
}

std::vector<int32_t> bytes_of(std::string_view text) {
  std::vector<int32_t> ids;
  for (const char c : text) ids.push_back(5 + static_cast<unsigned char>(c));
  return ids;
}

TEST(Generate, CharactersOfSeveralBytePiecesAreWrittenWhole) {
  for (const std::string character : {"好", "🎉", "é"}) {
    const auto script = bytes_of(character);
    const auto count = static_cast<int64_t>(20 * script.size());
    std::string want;
    for (int i = 0; i < 20; ++i) want += character;
    EXPECT_EQ(written({.max_tokens = count}, "a", parrot(script)), want);
    EXPECT_EQ(
        written({.max_tokens = count, .stop = {character + character + character}}, "a", parrot(script)), "");
  }
  std::vector<int32_t> mixed = bytes_of("好");
  mixed.push_back(4);
  EXPECT_EQ(written({.max_tokens = 40}, "a", parrot(mixed)), "好 a好 a好 a好 a好 a好 a好 a好 a好 a好 a");
}

TEST(Generate, StopsAtEveryEndThatTheConfigKnows) {
  EXPECT_EQ(written({.max_tokens = 40}, "a", parrot({4, 4, 3})), " a a");
  EXPECT_EQ(written({.max_tokens = 40}, "a", parrot({4, 2})), " a");
  // Without them, the next best; an id beyond the vocabulary is none.
  EXPECT_NE(written({.max_tokens = 4, .ignore_end = true}, "a", parrot({4, 2})), " a");
}

TEST(Generate, StopsBeforeAStopString) {
  const std::string whole = written({.max_tokens = 40}, "the cat");
  ASSERT_GT(whole.size(), 10u);
  const std::string stop = whole.substr(5, 3);
  const std::string cut = written({.max_tokens = 40, .stop = {stop}}, "the cat");
  EXPECT_EQ(cut, whole.substr(0, whole.find(stop)));
}

TEST(Generate, ARepetitionPenaltyChangesWhatIsSaid) {
  EXPECT_NE(written({.max_tokens = 30, .repetition_penalty = 3}, "the cat"),
            written({.max_tokens = 30}, "the cat"));
}

TEST(Generate, ALongTextNeedsAWindow) {
  const auto run = [](bool window, const std::string& prompt, int64_t tokens) {
    return written({.max_tokens = tokens, .full = window ? Full::kWindow : Full::kError, .ignore_end = true},
                   prompt, model(16));
  };
  EXPECT_THAT(error_of([&] { run(false, "the cat sat on the mat", 4); }), HasSubstr("this model reads 16"));
  EXPECT_THAT(error_of([&] { run(false, "the cat", 40); }), HasSubstr("as long as this model can read, 16"));
  EXPECT_NO_THROW(run(true, "the cat sat on the mat", 40));
}

TEST(Generate, WithoutALimitATextIsAsLongAsTheModelCanRead) {
  const Generated made =
      Generator(model(16), {.ignore_end = true})("the", [](std::string_view) { return true; });
  EXPECT_EQ(made.prompt.size() + made.ids.size(), 17u);  // the last is not read
  EXPECT_FALSE(made.ended);
}

TEST(Generate, WhatWasWrittenBeforeItWasStoppedIsReturned) {
  const Options options{.max_tokens = 30, .ignore_end = true, .look = {.self = true}};
  int left = 5;
  const Generator generator(model(), options);
  const Generated made = generator(generator.prompt_ids("the"), {.stop = [&] { return left-- == 0; }});
  EXPECT_EQ(made.ids.size(), 5u);
  EXPECT_EQ(made.looks.size(), 5u);
  const std::string whole = written(options, "the");
  EXPECT_TRUE(whole.starts_with(made.text.substr(0, 4)));
}

TEST(Generate, LooksAtEveryTokenBefore) {
  const Generated made = Generator(model(), {.max_tokens = 5, .ignore_end = true, .look = {.self = true}})(
      "the", [](std::string_view) { return true; });
  ASSERT_EQ(made.looks.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const auto before = static_cast<int64_t>(made.prompt.size() + i);
    ASSERT_EQ(made.looks[i].size(), 2u);  // layers
    for (const run::Seen& seen : made.looks[i]) {
      ASSERT_EQ(seen.weights.shape(), (Shape{4, 1, before}));
      for (int64_t head = 0; head < 4; ++head) {
        const float* row = seen.weights.data<float>() + head * before;
        EXPECT_NEAR(std::accumulate(row, row + before, 0.0), 1, 1e-5);
      }
    }
  }
}

TEST(Generate, MinPKeepsWhatIsNearTheMostProbable) {
  const std::string greedy = written({.max_tokens = 20}, "the");
  EXPECT_EQ(written({.max_tokens = 20, .sample = true, .sampling = {.min_p = 1}}, "the"), greedy);
}

TEST(Generate, WrongOptionsAreErrors) {
  EXPECT_THAT(error_of([] { Generator(model(), {.sample = true, .sampling = {.temperature = -1}}); }),
              HasSubstr("temperature"));
  EXPECT_THAT(error_of([] { Generator(model(), {.sample = true, .sampling = {.min_p = 2}}); }),
              HasSubstr("min-p"));
  EXPECT_THAT(error_of([] { Generator(model(), {.stop = {""}}); }), HasSubstr("empty stop string"));
  EXPECT_THAT(error_of([] { Generator(model(), {.repetition_penalty = 0}); }),
              HasSubstr("repetition penalty"));
}

}  // namespace
}  // namespace fovea::decode
