#include "fovea/decode/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fovea/base/utf8.h"
#include "fovea/data/hf_tokenizer.h"
#include "fovea/models/gpt.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::decode {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& lines() {
  static const std::vector<std::string> text = {"the cat sat on the mat. é\n", "a dog ran.\n"};
  return text;
}

models::TextModel model(int64_t block = 64, const std::string& layout = "gpt2",
                        const std::string& kind = "byte") {
  const std::shared_ptr<const data::Tokenizer> tokenizer =
      data::train_tokenizer(lines(), {.kind = kind, .vocab_size = kind == "bpe" ? 300 : 0});
  models::GptOptions o = models::gpt_defaults(layout);
  o.vocab = tokenizer->size();
  o.n_layer = 2;
  o.n_head = 4;
  o.n_embd = 32;
  o.block_size = block;
  auto net = std::make_shared<models::Gpt>(o, 3);
  Random random(5);  // larger than first weights are, so that there is something to tell apart
  for (nn::Parameter* p : net->parameters())
    if (p->value.rank() == 2) p->value = nn::normal(p->value.shape(), 0.3f, random);
  return {net, tokenizer, tokenizer};
}

std::string written(const GenerateOptions& options, const std::string& prompt,
                    models::TextModel m = model()) {
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
  GenerateOptions options{.words = 30};
  const std::string first = written(options, "the");
  EXPECT_EQ(written(options, "the"), first);
  options.sampling.seed = 2;
  EXPECT_NE(written(options, "the"), first);
}

// Word by word with a cache, as from the whole text each time.
TEST(Generate, GreedyIsTheMostProbableWordEachTime) {
  for (const char* layout : {"gpt2", "llama"}) {
    const models::TextModel m = model(64, layout);
    const Generated made =
        Generator(m, {.words = 20, .greedy = true})("the cat", [](std::string_view) { return true; });
    std::vector<int32_t> ids = made.prompt;
    for (const int32_t id : made.ids) {
      const Tensor logits = m.net->logits(Tensor::of<int32_t>({1, static_cast<int64_t>(ids.size())}, ids));
      const float* last = logits.data<float>() + logits.size() - m.net->vocab();
      EXPECT_EQ(std::max_element(last, last + m.net->vocab()) - last, id);
      ids.push_back(id);
    }
  }
}

TEST(Generate, TheFirstNewWordStandsApartFromThePrompt) {
  const GenerateOptions options{.words = 3, .greedy = true, .ignore_end = true};
  const std::string text = written(options, "the cat", model(64, "gpt2", "word"));
  EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 3) << text;
  EXPECT_TRUE(text.starts_with(' ')) << text;
}

// Only the newest tokens are decoded as they come; characters of several bytes are among them.
TEST(Generate, WhatIsStreamedIsTheTextOfAllTokens) {
  for (const char* kind : {"byte", "char", "word", "bpe"}) {
    const models::TextModel m = model(512, "gpt2", kind);
    for (const uint64_t seed : {1, 2, 3}) {
      std::string streamed;
      const Generated made =
          Generator(m, {.words = 300, .sampling = {.temperature = 2, .seed = seed}, .ignore_end = true})(
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
class Parrot final : public models::LanguageModel {
 public:
  Parrot(std::vector<int32_t> script, int64_t vocab) : script_(std::move(script)), vocab_(vocab) {}
  nlohmann::json config() const override { return {}; }
  nn::ParameterList parameters() override { return {}; }
  models::Cost cost(const data::Batch&, const models::CostOptions&) override { return {}; }
  Tensor logits(const Tensor&, models::LayerLooks*) override { return {}; }
  std::unique_ptr<models::Continuation> begin(int64_t) override { return std::make_unique<Said>(*this); }
  int64_t vocab() const override { return vocab_; }
  std::vector<int32_t> ends() const override { return {2, 3, 1'000'000}; }
  int64_t longest() const override { return 0; }

 private:
  struct Said final : models::Continuation {
    explicit Said(const Parrot& of) : of(of) {}
    Tensor read(const Tensor&, Tensor*) override {
      Tensor logits = Tensor::zeros({1, of.vocab_});
      logits.data<float>()[of.script_[at++ % of.script_.size()]] = 9;
      return logits;
    }
    void choose(const Tensor&) override {}
    int64_t length() const override { return static_cast<int64_t>(at); }
    const Parrot& of;
    size_t at = 0;
  };
  std::vector<int32_t> script_;
  int64_t vocab_;
};

// A tokenizer of Llama's kind, with a piece for each byte of what is in no other.
models::TextModel parrot(std::vector<int32_t> script) {
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
  return {std::make_shared<Parrot>(std::move(script), tokenizer->size()), tokenizer, tokenizer};
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
    EXPECT_EQ(written({.words = count, .greedy = true}, "a", parrot(script)), want);
    EXPECT_EQ(written({.words = count, .greedy = true, .stop = {character + character + character}}, "a",
                      parrot(script)),
              "");
  }
  std::vector<int32_t> mixed = bytes_of("好");
  mixed.push_back(4);
  EXPECT_EQ(written({.words = 40, .greedy = true}, "a", parrot(mixed)),
            "好 a好 a好 a好 a好 a好 a好 a好 a好 a好 a");
}

TEST(Generate, StopsAtEveryEndThatTheConfigKnows) {
  EXPECT_EQ(written({.words = 40, .greedy = true}, "a", parrot({4, 4, 3})), " a a");
  EXPECT_EQ(written({.words = 40, .greedy = true}, "a", parrot({4, 2})), " a");
  // Without them, the next best; an id beyond the vocabulary is none.
  EXPECT_NE(written({.words = 4, .greedy = true, .ignore_end = true}, "a", parrot({4, 2})), " a");
}

TEST(Generate, StopsBeforeAStopString) {
  const std::string whole = written({.words = 40, .greedy = true}, "the cat");
  ASSERT_GT(whole.size(), 10u);
  const std::string stop = whole.substr(5, 3);
  const std::string cut = written({.words = 40, .greedy = true, .stop = {stop}}, "the cat");
  EXPECT_EQ(cut, whole.substr(0, whole.find(stop)));
}

TEST(Generate, ARepetitionPenaltyChangesWhatIsSaid) {
  EXPECT_NE(written({.words = 30, .greedy = true, .repetition_penalty = 3}, "the cat"),
            written({.words = 30, .greedy = true}, "the cat"));
}

TEST(Generate, ALongTextNeedsAWindow) {
  const auto run = [](bool window, const std::string& prompt, int64_t words) {
    return written({.words = words, .greedy = true, .ignore_end = true, .window = window}, prompt, model(16));
  };
  EXPECT_THAT(error_of([&] { run(false, "the cat sat on the mat", 4); }), HasSubstr("this model reads 16"));
  EXPECT_THAT(error_of([&] { run(false, "the cat", 40); }), HasSubstr("as long as this model can read, 16"));
  EXPECT_NO_THROW(run(true, "the cat sat on the mat", 40));
}

TEST(Generate, LooksAtEveryWordBefore) {
  const Generated made = Generator(model(), {.words = 5, .greedy = true, .ignore_end = true, .look = true})(
      "the", [](std::string_view) { return true; });
  ASSERT_EQ(made.looks.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const auto before = static_cast<int64_t>(made.prompt.size() + i);
    ASSERT_EQ(made.looks[i].shape(), (Shape{2, 4, before}));
    for (int64_t row = 0; row < 8; ++row) {
      double sum = 0;
      for (int64_t t = 0; t < before; ++t)
        sum += static_cast<double>(made.looks[i].data<float>()[row * before + t]);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(Generate, MinPKeepsWhatIsNearTheMostProbable) {
  const std::string greedy = written({.words = 20, .greedy = true}, "the");
  EXPECT_EQ(written({.words = 20, .sampling = {.min_p = 1}}, "the"), greedy);
}

TEST(Generate, WrongOptionsAreErrors) {
  EXPECT_THAT(error_of([] { Generator(model(), {.sampling = {.temperature = -1}}); }),
              HasSubstr("temperature"));
  EXPECT_THAT(error_of([] { Generator(model(), {.sampling = {.min_p = 2}}); }), HasSubstr("min-p"));
  EXPECT_THAT(error_of([] { Generator(model(), {.stop = {""}}); }), HasSubstr("empty stop string"));
  EXPECT_THAT(error_of([] { Generator(model(), {.repetition_penalty = 0}); }),
              HasSubstr("repetition penalty"));
}

}  // namespace
}  // namespace fovea::decode
