#include "fovea/train/fit_to_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/data/corpora.h"
#include "fovea/models/table.h"
#include "tests/error_message.h"

namespace fovea::train {
namespace {

using ::testing::HasSubstr;

// English and French as Tatoeba has them: 31 and 38 bytes a line.
DataSize pairs(int64_t lines) { return {lines, 7 * lines, 38 * lines, 69 * lines, 100}; }
constexpr int64_t kLines[] = {1, 10, 199, 3000, 40'000, 1'000'000, 100'000'000};

Settings of_files(std::string_view model) {
  Settings settings = defaults_of(model);
  if (const models::Learns learns = models::model_named(model).learns; models::looks_at_pictures(learns)) {
    settings.pictures = "pictures";
    (learns == models::Learns::kCaptionedPictures ? settings.captions : settings.labels) = "texts.tsv";
  } else {
    settings.train_sets = {"a", "b"};
  }
  settings.out = "run";
  return settings;
}

Settings fitted(Settings settings, const DataSize& size, const Keys& open = fitted_keys()) {
  fit_to_data(settings, open, size);
  return settings;
}

TEST(FitToData, ASmallCorpusGetsSmallBatchesAShortWarmupPiecesOfWordsAndNoise) {
  const Settings s = fitted(of_files("rnn"), pairs(3000));
  EXPECT_EQ(s.tokenizer, "spm");
  EXPECT_EQ(s.vocab_size, 1000);
  EXPECT_TRUE(s.joint_vocab);
  EXPECT_TRUE(s.tied_embeddings_all);
  EXPECT_LE(s.mini_batch_words, 500);
  EXPECT_LE(s.lr_warmup.count, 120);
  EXPECT_GE(s.dropout, 0.3);
  EXPECT_GE(s.label_smoothing, 0.2);
  EXPECT_NEAR(s.valid_split, 0.05, 1e-9);
  EXPECT_EQ(s.valid_freq.unit, 'u');
  EXPECT_EQ(s.valid_metrics.front(), "cross-entropy");

  const Settings large = fitted(of_files("rnn"), pairs(1'000'000));
  EXPECT_GT(large.vocab_size, 10'000);
  EXPECT_EQ(large.mini_batch_words, 3000);
  EXPECT_EQ(large.dropout, 0.1);
  EXPECT_NEAR(large.valid_split * 1'000'000, 1000, 1);
}

std::vector<models::ModelKind> trained_models() {
  std::vector<models::ModelKind> some;
  for (const models::ModelKind& model : models::model_table())
    if (model.learns != models::Learns::kNothing) some.push_back(model);
  return some;
}

TEST(FitToData, WhatWasGivenStays) {
  for (const models::ModelKind& model : trained_models())
    for (const std::string& key : fitted_keys())
      for (const int64_t lines : kLines) {
        if (key == "tokenizer") continue;  // auto is resolved, also where it was given
        const Settings before = of_files(model.name);
        Keys open = fitted_keys();
        open.erase(key);
        const Settings after = fitted(before, pairs(lines), open);
        const Setting& setting = setting_named(key);
        EXPECT_EQ(words_of(after, setting), words_of(before, setting)) << model.name << " " << key;
      }
  const Settings before = of_files("rnn");
  Settings after = before;
  after.tokenizer = "word";
  EXPECT_EQ(fit_to_data(after, {}, pairs(3000)), "");
}

TEST(FitToData, NothingElseIsChosen) {
  for (const models::ModelKind& model : trained_models())
    for (const int64_t lines : kLines) {
      const Settings before = of_files(model.name);
      for (const Difference& d : differences(before, fitted(before, pairs(lines)))) {
        EXPECT_TRUE(fitted_keys().contains(d.setting->key)) << model.name << " " << d.setting->key;
        EXPECT_TRUE(is_about(*d.setting, model.name)) << model.name << " " << d.setting->key;
      }
    }
}

TEST(FitToData, WhatIsChosenGoesTogether) {
  for (const models::ModelKind& model : trained_models())
    for (const int64_t lines : kLines)
      for (const char* after : {"", "1u", "300u", "3m", "2e", "80s"}) {
        Settings settings = of_files(model.name);
        Keys open = fitted_keys();
        if (*after != 0) {
          settings.after = Amount::parse(after);
          open.erase("after");
        }
        if (model.learns == models::Learns::kText) settings.train_sets = {"a"};
        settings = fitted(settings, pairs(lines), open);
        EXPECT_EQ(error_of([&] { check_together(settings); }), "no error")
            << model.name << ", " << lines << " lines, " << after;
        if (settings.after.unit == 'u') {
          EXPECT_EQ(warning_of_warmup(settings, 1), "");
        }
      }
}

TEST(FitToData, AWarmupThatWasGivenAndOutlastsTheRunIsNoError) {
  Settings settings = of_files("rnn");
  settings.after = {5, 'u'};
  settings.lr_warmup = {5, 'u'};
  Keys open = fitted_keys();
  open.erase("after");
  open.erase("lr-warmup");
  settings = fitted(settings, pairs(3000), open);
  EXPECT_EQ(error_of([&] { check_together(settings); }), "no error");
  EXPECT_NE(warning_of_warmup(settings, 100), "");
}

TEST(FitToData, ABuiltInCorpusKeepsItsTokens) {
  for (const data::CorpusKind& corpus : data::corpus_table()) {
    Settings settings = defaults_of("rnn");
    settings.corpus = corpus.name;
    settings.out = "run";
    settings = fitted(settings, pairs(40'000));
    EXPECT_EQ(settings.tokenizer, corpus.tokenizer);
    EXPECT_EQ(settings.valid_split, 0) << "a corpus has pairs to validate on";
    EXPECT_EQ(error_of([&] { check_together(settings); }), "no error") << corpus.name;
  }
}

TEST(FitToData, AVocabularyHoldsEveryCharacter) {
  DataSize chinese = pairs(3000);
  chinese.characters = 4000;
  EXPECT_GT(fitted(of_files("rnn"), chinese).vocab_size, 4000);
}

TEST(FitToData, AShortTextHasShortWindows) {
  Settings settings = of_files("gpt");
  settings.train_sets = {"a"};
  const Settings tiny = fitted(settings, {10, 300, 2000, 2000, 30});
  EXPECT_LT(static_cast<double>(tiny.block_size), 0.1 * 2000 / 3);
  EXPECT_EQ(fitted(settings, {10, 300'000, 2'000'000, 2'000'000, 30}).block_size, settings.block_size);
}

TEST(FitToData, TheMeterCountsTheLongerSideAndEveryCharacter) {
  DataMeter meter;
  meter.add("a man", "ein Männchen ist");
  meter.add("", "b");
  const DataSize size = meter.size();
  EXPECT_EQ(size.lines, 2);
  EXPECT_EQ(size.words, 4);
  EXPECT_EQ(size.bytes, 18);
  EXPECT_EQ(size.all_bytes, 23);
  EXPECT_EQ(size.characters, 13);
}

TEST(Warmup, ThatOutlastsTheRunIsSaidOnce) {
  Settings settings;
  settings.after = {10, 'e'};
  settings.lr_warmup = {200, 'u'};
  EXPECT_THAT(warning_of_warmup(settings, 14),
              HasSubstr("--after 10e is 140 updates, and the warm-up takes 200u"));
  EXPECT_EQ(warning_of_warmup(settings, 21), "");
  settings.after = {200, 'u'};
  EXPECT_NE(warning_of_warmup(settings, 1), "");
  settings.after = {3, 'm'};
  EXPECT_EQ(warning_of_warmup(settings, 14), "");
}

}  // namespace
}  // namespace fovea::train
