// The public interface against the rooms that it stands on.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <sstream>
#include <thread>

#include "fovea/decode/translate.h"
#include "fovea/fovea.h"
#include "fovea/run/load.h"
#include "tests/error_message.h"
#include "tests/library/models.h"

namespace fovea::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Library : public LibraryModels {};

TEST_F(Library, SaysWhatAModelIs) {
  const Model model = load(gpt());
  const ModelInfo info = model.info();
  EXPECT_EQ(info.model_type, "gpt2");
  EXPECT_THAT(info.can, ElementsAre("generate", "score", "look", "tokenize", "logits"));
  EXPECT_TRUE(model.can("score"));
  EXPECT_FALSE(model.can("translate"));
  EXPECT_EQ(info.precision, "f32");
  EXPECT_EQ(info.longest, 64);
  EXPECT_GT(info.parameters, 16 * info.vocabulary);
  EXPECT_THAT(info.config, HasSubstr("\"n_embd\": 16"));
  EXPECT_EQ(load(gpt(), {.precision = "int8"}).info().precision, "int8");
  EXPECT_THAT(load(bert("labels")).info().labels, ElementsAre("bad", "good", "neither"));
}

TEST_F(Library, TranslatesAsTheTranslatorDoes) {
  for (const std::string& dir : {recurrent(), transformer()}) {
    const Model model = load(dir);
    const std::vector<Translation> said = model.translate(kEnglish, {.beam_size = 3, .n_best = 3});
    const decode::Translator translator(run::load_decoder(dir), {.search = {.beam_size = 3, .n_best = 3}});
    const std::vector<decode::Translation> expected = translator.translate(kEnglish);
    ASSERT_THAT(said, SizeIs(kEnglish.size()));
    for (size_t i = 0; i < said.size(); ++i) {
      EXPECT_EQ(said[i].text, expected[i].best().text);
      EXPECT_EQ(said[i].ids, expected[i].best().ids);
      EXPECT_EQ(said[i].log_prob, expected[i].best().log_prob);
      EXPECT_EQ(said[i].tokens.size(), said[i].ids.size());
      ASSERT_EQ(said[i].n_best.size(), expected[i].candidates.size());
      EXPECT_EQ(said[i].n_best.back().score, expected[i].candidates.back().score);
      EXPECT_TRUE(said[i].map.empty());
      EXPECT_EQ(model.translate(kEnglish[i], {.beam_size = 3}).ids, said[i].ids);
    }
  }
}

TEST_F(Library, AMapOfARecurrentModelIsOneAttentionWhoseRowsAreDistributions) {
  const Translation said = load(recurrent()).translate("I am a student .", {.look = true});
  const std::vector<Map::Attention> all = said.map.attentions();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].columns, ElementsAre("I", "am", "a", "student", ".", "<eos>"));
  EXPECT_THAT(all[0].weights.shape(), ElementsAre(1, 1, static_cast<int64_t>(all[0].rows.size()), 6));
  for (size_t row = 0; row < all[0].rows.size(); ++row) {
    double sum = 0;
    for (const float weight : all[0].weights.numbers().subspan(row * 6, 6)) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_FALSE(said.alignment.empty());
  std::ostringstream out;
  out << said.map;
  EXPECT_THAT(out.str(), HasSubstr("student"));
  EXPECT_EQ(out.str(), said.map.text(80));
  EXPECT_THAT(said.map.svg(), HasSubstr("<svg"));
  EXPECT_THAT(said.map.html(), HasSubstr("<!doctype html>"));
  EXPECT_THAT(said.map.json(), HasSubstr("\"weights\""));
  EXPECT_EQ(said.map.png().substr(1, 3), "PNG");
}

TEST_F(Library, AMapOfATransformerHasEveryLayerAndHeadAndAPartCanBeSelected) {
  const Model model = load(transformer());
  const Map map = model.look("the dog sees a cat .");
  ASSERT_THAT(map.attentions(), SizeIs(3));
  EXPECT_EQ(map.attentions()[1].name, "encoder self");
  const Map part = map.select({.attention = "encoder", .layers = {1}, .heads = {0}});
  ASSERT_THAT(part.attentions(), SizeIs(1));
  EXPECT_THAT(part.attentions()[0].layers, ElementsAre(1));
  EXPECT_THAT(part.attentions()[0].weights.shape(), ElementsAre(1, 1, 7, 7));
  EXPECT_THAT(error_of([&] { map.select({.layers = {7}}); }), HasSubstr("layer 7"));
  const Map given = model.look("the dog sees a cat .", {.target = "개가 고양이를 본다 .", .words = true});
  EXPECT_THAT(given.attentions()[0].rows, ElementsAre("개가", "고양이를", "본다", ".", "<eos>"));
}

TEST_F(Library, AListInBracesIsAListOfLines) {
  const Model model = load(transformer());
  EXPECT_THAT(model.translate({"I am", "you are"}), SizeIs(2));
  EXPECT_THAT(load(bert("words")).embed({"I am", "you are"}).shape(), ElementsAre(2, 16));
  EXPECT_THAT(load(bert("labels")).classify({"I am", "you are"}), SizeIs(2));
}

TEST_F(Library, AMapOfACroppedLineIsOfWhatWasRead) {
  for (const std::string& dir : {recurrent(), transformer()})
    for (const bool words : {false, true}) {
      const Translation said = load(dir).translate(
          "the dog sees a cat .", {.max_length = 3, .crop = true, .look = true, .words = words});
      EXPECT_THAT(said.map.attentions()[0].columns, ElementsAre("the", "dog", "sees", "<eos>"));
    }
}

TEST_F(Library, LayersMayBeNamedInAnyOrder) {
  const Map map = load(transformer()).look("I am a student .");
  EXPECT_THAT(map.select({.attention = "cross", .layers = {1, 0, 1}}).attentions()[0].layers,
              ElementsAre(0, 1));
}

TEST_F(Library, AModelThatWasMovedFromIsAnError) {
  Model model = load(gpt());
  const Model other = std::move(model);
  EXPECT_THAT(error_of([&] { model.info(); }), HasSubstr("moved from"));  // NOLINT: that is the test
  EXPECT_TRUE(other.can("generate"));
}

TEST_F(Library, AModelThatDoesNotLookHasNoMap) {
  EXPECT_FALSE(load(recurrent("bottleneck")).can("look"));
  EXPECT_THAT(error_of([&] { load(recurrent("bottleneck")).look("you are here ."); }),
              HasSubstr("does not look"));
  const Translation said = load(recurrent("bottleneck")).translate("you are here .", {.look = true});
  EXPECT_TRUE(said.map.empty());
  EXPECT_EQ(said.map.text(), "");
  EXPECT_TRUE(said.map.attentions().empty());
  EXPECT_THAT(error_of([&] { said.map.svg(); }), HasSubstr("does not look"));
}

TEST_F(Library, GeneratedTextArrivesInPiecesAndCanBeStopped) {
  const Model model = load(gpt());
  std::string arrived;
  const GenerateOptions options{.max_tokens = 20, .seed = 3, .on_text = [&](std::string_view text) {
                                  arrived += text;
                                  return true;
                                }};
  const Generation made = model.generate("the d", options);
  EXPECT_EQ(arrived, made.text);
  EXPECT_THAT(made.prompt_tokens, SizeIs(5));
  EXPECT_THAT(made.tokens, SizeIs(made.ids.size()));
  EXPECT_EQ(model.generate("the d", {.max_tokens = 20, .seed = 3}).text, made.text);
  int texts = 0;
  const Generation stopped = model.generate(
      "the d", {.max_tokens = 20, .seed = 3, .on_text = [&](std::string_view) { return ++texts < 4; }});
  EXPECT_EQ(texts, 4);
  EXPECT_LT(stopped.ids.size(), made.ids.size());
  EXPECT_TRUE(made.text.starts_with(stopped.text)) << stopped.text;
  int steps = 0;
  const Generation cancelled =
      model.generate("the d", {.max_tokens = 20, .seed = 3, .cancelled = [&] { return ++steps > 3; }});
  EXPECT_LE(cancelled.ids.size(), 3u);
  EXPECT_LT(cancelled.score, 0);
}

TEST_F(Library, NothingArrivesAfterItWasStopped) {
  // A text that ends in part of a stop string is held back until it is clear that it is none.
  const Model model = load(gpt());
  for (uint64_t seed = 0; seed < 40; ++seed) {
    bool refused = false;
    model.generate(
        "the d",
        {.max_tokens = 20, .seed = seed, .stop = {" !!", "e!", "s!"}, .on_text = [&](std::string_view) {
           EXPECT_FALSE(refused);
           refused = true;
           return false;
         }});
  }
}

TEST_F(Library, ABeamGeneratesTheMostProbableTexts) {
  const Generation made = load(gpt()).generate("the", {.max_tokens = 6, .beam_size = 4, .n_best = 3});
  ASSERT_THAT(made.n_best, SizeIs(3));
  EXPECT_EQ(made.n_best[0].text, made.text);
  EXPECT_GE(made.n_best[0].score, made.n_best[1].score);
  EXPECT_GE(made.n_best[1].score, made.n_best[2].score);
}

TEST_F(Library, GeneratedTokensShowWhereTheyLooked) {
  const Generation made = load(gpt()).generate("the d", {.max_tokens = 3, .ignore_eos = true, .look = true});
  const std::vector<Map::Attention> all = made.map.attentions();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all[0].weights.shape(), ElementsAre(2, 2, 3, 7));
}

TEST_F(Library, AnEncoderFillsEmbedsAndClassifies) {
  const Model words = load(bert("words"));
  const std::vector<Gap> gaps = words.fill("the [MASK] sees a [MASK] .", 4);
  ASSERT_THAT(gaps, SizeIs(2));
  ASSERT_THAT(gaps[0].guesses, SizeIs(4));
  EXPECT_GE(gaps[0].guesses[0].probability, gaps[0].guesses[1].probability);
  EXPECT_THAT(gaps[0].guesses[0].text, HasSubstr("[MASK]"));
  const Array vectors = words.embed(kEnglish), one = words.embed(kEnglish[1]);
  EXPECT_THAT(vectors.shape(), ElementsAre(3, 16));
  EXPECT_THAT(one.shape(), ElementsAre(16));
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(one.numbers()[i], vectors.numbers()[16 + i]);

  const Model labels = load(bert("labels"));
  const Classification said = labels.classify("the dog sees a cat .");
  ASSERT_THAT(said.all, SizeIs(3));
  double sum = 0;
  for (const LabelProbability& label : said.all) {
    sum += label.probability;
    EXPECT_LE(label.probability, said.probability);
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  const std::vector<std::pair<std::string, std::string>> pairs = {{"the dog", "a cat"}};
  EXPECT_THAT(labels.classify(pairs), SizeIs(1));

  const Classification tagged = load(bert("token_labels")).classify("the dog sees a cat .");
  ASSERT_THAT(tagged.words, SizeIs(6));
  EXPECT_EQ(tagged.words[1].word, "dog");
  EXPECT_TRUE(tagged.all.empty());
}

TEST_F(Library, ScoresAddUpOverTokens) {
  const Model translator = load(transformer());
  const Score pair = translator.score("the dog sees a cat .", "개가 고양이를 본다 .");
  EXPECT_THAT(pair.tokens, ElementsAre("개가", "고양이를", "본다", ".", "<eos>"));
  double sum = 0;
  for (const float one : pair.token_log_probs) sum += static_cast<double>(one);
  EXPECT_NEAR(pair.log_prob, sum, 1e-4);
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"I am", "나는"}, {"the dog sees a cat .", "개가 고양이를 본다 ."}};
  EXPECT_EQ(translator.score(pairs)[1].log_prob, pair.log_prob);
  const Score text = load(gpt()).score("the dog");
  EXPECT_THAT(text.tokens, SizeIs(6));  // the first has nothing before it
  EXPECT_THAT(text.token_log_probs, SizeIs(6));
}

TEST_F(Library, LogitsAreWhatScoresAreMadeOf) {
  const Model model = load(gpt());
  const Tokens read = model.tokenize("the dog");
  const Array logits = model.logits(read.ids);
  const auto V = static_cast<size_t>(logits.shape()[1]);
  double sum = 0;
  for (size_t t = 0; t + 1 < read.ids.size(); ++t) {
    const auto row = logits.numbers().subspan(t * V, V);
    double total = 0;
    for (const float x : row) total += std::exp(static_cast<double>(x));
    sum += static_cast<double>(row[static_cast<size_t>(read.ids[t + 1])]) - std::log(total);
  }
  EXPECT_NEAR(model.score("the dog").log_prob, sum, 1e-4);
}

TEST_F(Library, TokensGoThereAndBack) {
  const Model model = load(recurrent());
  const Tokens read = model.tokenize("the unicorn sees a cat .");
  EXPECT_THAT(read.tokens, ElementsAre("the", "unicorn", "sees", "a", "cat", "."));
  EXPECT_EQ(read.unknown, 1);
  const Tokens target = model.tokenize("개가 본다 .", Side::kTarget);
  EXPECT_EQ(model.detokenize(target.ids), "개가 본다 .");
}

TEST_F(Library, WhatAModelCannotDoSaysWhatItCan) {
  const std::string message = error_of([&] { load(gpt()).translate("hello"); });
  EXPECT_THAT(message, HasSubstr("[translate]"));
  EXPECT_THAT(message, HasSubstr("continues texts"));
  EXPECT_THAT(error_of([&] { load(transformer()).generate("hello"); }),
              HasSubstr("turns one sequence into another"));
  EXPECT_THAT(error_of([&] { load(bert("labels")).fill("a [MASK]"); }),
              HasSubstr("no head for masked tokens"));
  EXPECT_THAT(error_of([&] { load(bert("words")).classify("a"); }), HasSubstr("has no labels"));
  EXPECT_THAT(error_of([&] { load(gpt()).generate("the", {.max_tokens = 0}); }),
              HasSubstr("expected 1 or more"));
  EXPECT_THAT(error_of([&] { load(bert("words")).embed("a", {.batch = 0}); }),
              HasSubstr("expected 1 or more"));
  EXPECT_THAT(error_of([&] { set_threads(100000); }), HasSubstr("100000 threads"));
  std::filesystem::create_directory(folder_ / "loop");
  std::filesystem::create_symlink("model.safetensors", folder_ / "loop/model.safetensors");
  write_atomically(folder_ / "loop/config.json", "{\"model_type\": \"gpt2\"}");
  EXPECT_NE(error_of([&] { load(folder_ / "loop"); }), "no error");
  EXPECT_THAT(error_of([&] { load(folder_ / "nowhere"); }), HasSubstr("nowhere"));
  EXPECT_THAT(error_of([&] { load(gpt(), {.precision = "f8"}); }), HasSubstr("expected f32 or int8"));
  EXPECT_THAT(error_of([&] { load(transformer()).translate("\xff\xfe"); }), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of([&] { load(transformer()).look("\xff\xfe"); }), HasSubstr("not UTF-8"));
}

TEST_F(Library, ACancelledTranslationThrowsAndTheModelGoesOn) {
  const Model model = load(transformer());
  EXPECT_THROW(model.translate(kEnglish, {.cancelled = [] { return true; }}), Cancelled);
  EXPECT_THAT(model.translate(kEnglish), SizeIs(3));
}

TEST_F(Library, EveryFunctionServesManyThreadsWithTheSameBits) {
  const std::string dir = transformer();
  const Model translator = load(dir), language = load(gpt()), words = load(bert("words"));
  const auto all = [&] {
    std::ostringstream out;
    for (const Translation& said : translator.translate(kEnglish, {.look = true}))
      out << said.text << said.log_prob << said.map << '\n';
    out << language.generate("the d", {.max_tokens = 12}).text << language.score("the dog").log_prob << '\n';
    out << words.fill("the [MASK] .")[0].guesses[0].probability << words.look("the dog .").json();
    for (const float x : words.embed(kEnglish).numbers()) out << x << ' ';
    out << translator.tokenize("I am").ids.size() << load(dir).info().parameters;
    return out.str();
  };
  const std::string alone = all();
  std::vector<std::string> said(8);
  std::vector<std::thread> threads;
  for (std::string& mine : said) threads.emplace_back([&] { mine = all(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& mine : said) EXPECT_EQ(mine, alone);
}

TEST_F(Library, AChildOfForkGoesOnWithTheModel) {
  const Model model = load(transformer());
  const std::string said = model.translate(kEnglish[0]).text;  // the threads are there
  const pid_t child = ::fork();
  if (child == 0) ::_exit(model.translate(kEnglish[0]).text == said ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fovea::testing
