// Lines through tokenizer, model and search, and back to text.
#include "fovea/decode/translate.h"

#include <gmock/gmock.h>

#include <set>

#include "fovea/base/error.h"
#include "tests/decode/fake_decoder.h"

namespace fovea::testing {
namespace {

using decode::Options;
using decode::TranslateOptions;
using decode::Translation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 12;
const std::vector<std::string> kSources = {
    "I am a student .", "you are here", "a", "", "  \t ", "the student is here and you are a student ."};
const std::vector<std::string> kTargets = {"나는 학생 이다 .", "너 는 여기 있다", "그 그리고"};

std::shared_ptr<const data::Tokenizer> tokenizer(const std::vector<std::string>& lines, std::string kind) {
  data::TokenizerOptions options;
  options.kind = std::move(kind);
  options.vocab_size = 0;
  return data::train_tokenizer(lines, options);
}

run::LoadedDecoder model(const std::string& source = "word", const std::string& target = "word") {
  run::LoadedDecoder model{nullptr, tokenizer(kSources, source), tokenizer(kTargets, target)};
  FakeDecoder::Options options{.vocabulary = model.target->size(), .seed = kSeed};
  options.edit = [](const Ids&, const Ids& prefix, std::vector<float>& x) {
    x[data::kEos] += static_cast<float>(prefix.size()) - 4;
  };
  model.decoder = std::make_shared<FakeDecoder>(std::move(options));
  return model;
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Translator, SaysTextWithItsPiecesAndWhereTheyLooked) {
  const decode::Translator translator(
      model(), {.search = {.beam_size = 3, .n_best = 3, .look = decode::look_at_source()}});
  const std::vector<Translation> all = translator.translate(kSources);
  ASSERT_EQ(all.size(), kSources.size());
  EXPECT_THAT(all[0].source_pieces, ElementsAre("I", "am", "a", "student", ".", "<eos>"));
  for (size_t i : {0, 1, 2, 5}) {
    EXPECT_EQ(all[i].candidates.size(), 3u);
    for (const decode::Candidate& one : all[i].candidates) {
      EXPECT_EQ(one.text, translator.model().target->decode(one.ids));
      EXPECT_EQ(one.pieces.size(), one.ids.size() + one.ended);
      EXPECT_EQ(one.pieces.back() == "<eos>", one.ended);
      EXPECT_EQ(one.weights.shape(), (Shape{2, static_cast<int64_t>(one.pieces.size()),
                                            static_cast<int64_t>(all[i].source_pieces.size())}));
      EXPECT_LE(one.log_prob, one.score);
    }
    EXPECT_GE(all[i].candidates[0].score, all[i].candidates[1].score);
    const Translation alone = translator.translate(kSources[i]);
    EXPECT_EQ(alone.best().text, all[i].best().text);
    EXPECT_EQ(alone.best().score, all[i].best().score);
  }
}

TEST(Translator, ALineWithoutWordsHasAnEmptyTranslation) {
  for (const std::string kind : {"word", "char", "byte"}) {
    const decode::Translator translator(model(kind), {.search = {.look = decode::look_at_source()}});
    for (size_t i : {3, 4}) {
      const Translation said = translator.translate(kSources[i]);
      EXPECT_EQ(said.best().text, "");
      EXPECT_TRUE(said.best().ended);
      EXPECT_THAT(said.source_pieces, ElementsAre("<eos>"));
    }
  }
}

TEST(Translator, EveryTokenizerGivesAPieceForEachColumnAndRow) {
  for (const std::string source : {"word", "char", "byte"})
    for (const std::string target : {"word", "char", "byte"}) {
      const decode::Translator translator(model(source, target),
                                          {.search = {.look = decode::look_at_source()}});
      const Translation said = translator.translate("you am I");
      EXPECT_EQ(said.best().weights.dim(1), static_cast<int64_t>(said.best().pieces.size()));
      EXPECT_EQ(said.best().weights.dim(2), static_cast<int64_t>(said.source_pieces.size()));
    }
}

TEST(Translator, LongLinesAreErrorsOrAreCutWhereOneAskedForIt) {
  const std::vector<std::string> lines = {"you are here", "I am a student ."};
  TranslateOptions options{.search = {.look = decode::look_at_source()}, .max_length = 3};
  EXPECT_EQ(complaint([&] { decode::Translator(model(), options).translate(lines, 1200); }),
            "[translate] line 1,202 has 5 tokens, more than --max-length 3: raise it, or crop such lines "
            "(--max-length-crop)");
  options.crop = true;
  const std::vector<Translation> all = decode::Translator(model(), options).translate(lines);
  EXPECT_THAT(all[1].source_pieces, ElementsAre("I", "am", "a", "<eos>"));
  EXPECT_EQ(all[1].best().weights.dim(2), 4);
  EXPECT_EQ(all[1].best().text, decode::Translator(model(), options).translate("I am a").best().text);
}

TEST(Translator, DrawsDependOnSeedAndLineAlone) {
  const std::vector<std::string> same(40, "I am a student .");
  TranslateOptions options{.search = {.sample = true}, .batch = 7};
  const auto texts = [&](int64_t first) {
    std::vector<std::string> texts;
    for (const Translation& one : decode::Translator(model(), options).translate(same, first))
      texts.push_back(one.best().text);
    return texts;
  };
  const std::vector<std::string> once = texts(0);
  EXPECT_GT(std::set(once.begin(), once.end()).size(), 10u) << "every line draws for itself";
  options.batch = 32;
  EXPECT_EQ(texts(0), once);
  const std::vector<std::string> later = texts(10);
  EXPECT_TRUE(std::equal(once.begin() + 10, once.end(), later.begin()));
  options.search.sampling.seed = 2;
  EXPECT_NE(texts(0), once);
}

TEST(Translator, AStopStringEndsATranslation) {
  for (const Options& search : {Options{}, Options{.beam_size = 3, .n_best = 3}}) {
    const std::vector<Translation> whole =
        decode::Translator(model(), {.search = search}).translate(kSources);
    Options stopping = search;
    stopping.stop = {"학생"};
    bool stopped = false;
    for (const Translation& one : decode::Translator(model(), {.search = stopping}).translate(kSources))
      for (const decode::Candidate& candidate : one.candidates) {
        EXPECT_THAT(candidate.text, ::testing::Not(HasSubstr("학생")));
        const std::string all = tokenizer(kTargets, "word")->decode(candidate.ids);
        if (!all.ends_with("학생")) continue;
        stopped = true;
        EXPECT_TRUE(candidate.ended);
        EXPECT_EQ(candidate.text + "학생", all);
        EXPECT_EQ(candidate.pieces.size(), candidate.ids.size());
      }
    EXPECT_TRUE(stopped);
  }
}

TEST(Translator, CanBeStopped) {
  const decode::Translator translator(model(), {.batch = 1});
  int found = 0, left = 6;
  EXPECT_FALSE(translator.translate(
      kSources, 0, [&](size_t, const Translation&) { ++found; }, [&] { return left-- == 0; }));
  EXPECT_LT(found, 6);
}

TEST(Translator, WhatIsNoTextIsAnErrorThatNamesTheLine) {
  const std::vector<std::string> lines = {"you", "\xFF"};
  EXPECT_THAT(complaint([&] { decode::Translator(model(), {}).translate(lines); }),
              HasSubstr("[translate] line 2 is not UTF-8"));
  EXPECT_THAT(complaint([&] { decode::Translator(model(), {.batch = 0}); }), HasSubstr("batches of 0"));
  EXPECT_THAT(complaint([&] { decode::Translator(model(), {.max_length = 0}); }),
              HasSubstr("at most 0 tokens"));
  EXPECT_THAT(complaint([&] { decode::Translator(model(), {.search = {.beam_size = 0}}); }),
              HasSubstr("[translate] a beam of 0"));
}

}  // namespace
}  // namespace fovea::testing
