#include "fovea/train/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "fovea/base/error.h"
#include "fovea/data/make_batch.h"
#include "fovea/models/table.h"
#include "fovea/train/model_config.h"
#include "fovea/train/run_data.h"
#include "fovea/train/valid_metrics.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"
#include "tests/train/tiny_model.h"

namespace fovea::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<data::Pair> kPairs = {
    {"a b", "x y", {}}, {"b", "", {}}, {"c a b", "z x y", {}}, {"b a", "y x", {}}};

models::Model tiny() {
  const Settings settings;
  const Tokenizers tokenizers = learn_tokenizers(kPairs, settings);
  return {std::make_shared<testing::TinyModel>(tokenizers.source->size(), tokenizers.target->size(), 3),
          tokenizers.source, tokenizers.target};
}

const StopRequested kNever = [] { return false; };

TEST(Validator, MeasuresWhatIsAskedInItsOrder) {
  const models::Model model = tiny();
  Settings settings;
  settings.valid_metrics = {"exact", "perplexity", "cross-entropy", "bleu"};
  int times = 0;
  const Validator validator(model, kPairs, settings,
                            [&](std::span<const std::string> lines, const StopRequested&) {
                              EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.end()),
                                          ElementsAre("a b", "b", "c a b", "b a"));
                              ++times;
                              return std::optional(std::vector<std::string>{"x y", "", "z x x", "y x"});
                            });
  const std::vector<double> values = validator(kNever).value();
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0], 75);
  EXPECT_EQ(times, 1);  // for both metrics of text

  // Token by token, each pair by itself; the one without a target does not count.
  double sum = 0;
  int64_t tokens = 0;
  const data::Dataset data(kPairs, *model.source, *model.target, 0);
  ASSERT_EQ(data.size(), 3);
  for (int32_t i = 0; i < 3; ++i) {
    const models::Cost cost = model.net->cost(data::make_batch(data, {&i, 1}), {});
    sum += cost.cross_entropy;
    tokens += cost.tokens;
  }
  settings.mini_batch = 1;  // the tiny model's mean over sources counts padding
  const std::vector<double> one_by_one =
      Validator(model, kPairs, settings,
                [](auto, auto&) { return std::optional(std::vector<std::string>(4)); })(kNever)
          .value();
  EXPECT_NEAR(one_by_one[2], sum / static_cast<double>(tokens), 1e-6);
  EXPECT_NEAR(one_by_one[1], std::exp(one_by_one[2]), 1e-9);
}

TEST(Validator, StopsWhenToldTo) {
  const models::Model model = tiny();
  Settings settings;
  settings.valid_metrics = {"cross-entropy"};
  const Translate never = [](auto, auto&) -> std::optional<std::vector<std::string>> { return {}; };
  EXPECT_FALSE(Validator(model, kPairs, settings, never)([] { return true; }).has_value());
  settings.valid_metrics = {"bleu"};
  EXPECT_FALSE(Validator(model, kPairs, settings, never)(kNever).has_value());
}

TEST(ValidMetrics, KnowWhichWayIsBetter) {
  EXPECT_TRUE(is_better(valid_metric_named("bleu"), 2, 1));
  EXPECT_FALSE(is_better(valid_metric_named("bleu"), 1, 1));
  EXPECT_TRUE(is_better(valid_metric_named("cross-entropy"), 1, 2));
  EXPECT_FALSE(is_better(valid_metric_named("cross-entropy"), std::nan(""), 2));
  EXPECT_FALSE(is_better(valid_metric_named("chrf"), std::nan(""), 2));
  EXPECT_THAT(error_of([] { valid_metric_named("blue"); }), HasSubstr("did you mean 'bleu'?"));
}

// Every model setting of the table is one that the model knows, and means the same.
TEST(ModelConfig, IsWhatTheModelTakes) {
  Settings settings;
  settings.dim_emb = 12;
  settings.dim_rnn = 8;
  settings.cell = "lstm";
  settings.dropout = 0.25;
  settings.tied_embeddings = true;
  nlohmann::json config = model_config(settings, 10, 11);
  const nlohmann::json made = models::make_net(config, 1)->config();
  for (const char* other_name : {"local", "window"}) config.erase(other_name);  // for cross_mask
  EXPECT_EQ(made, config);
}

TEST(RunData, ComesFromFilesWithAlignmentsWhereTheyAreAskedFor) {
  const TemporaryDirectory dir;
  std::ofstream(dir / "s") << "a b\nc\n";
  std::ofstream(dir / "t") << "x y\nz\n";
  std::ofstream(dir / "a") << "0-1 1-0\n\n";
  std::ofstream(dir / "none") << "\n\n";
  std::ofstream(dir / "tsv") << "a\tb\n";
  Settings settings;
  settings.train_sets = {dir / "s", dir / "t"};
  RunData data = load_data(settings);
  EXPECT_THAT(data.train, ElementsAre(data::Pair{"a b", "x y", {}}, data::Pair{"c", "z", {}}));
  EXPECT_TRUE(data.valid.empty());
  settings.guided_alignment = dir / "a";
  settings.valid_sets = {dir / "tsv"};
  data = load_data(settings);
  EXPECT_EQ(data.train[0].links.size(), 2u);
  EXPECT_THAT(data.valid, ElementsAre(data::Pair{"a", "b", {}}));
  const uint32_t checksum = data.valid_checksum();
  data.valid[0].target = "c";
  EXPECT_NE(data.valid_checksum(), checksum);
  settings.guided_alignment = dir / "none";
  EXPECT_THAT(error_of([&] { load_data(settings); }), HasSubstr("there is not one link between words"));
  check_files(settings);
  settings.valid_sets = {dir.path()};
  EXPECT_THAT(error_of([&] { check_files(settings); }), HasSubstr("Is a directory"));
  settings.guided_alignment = dir / "missing";
  settings.valid_sets = {};
  EXPECT_THAT(error_of([&] { check_files(settings); }), HasSubstr("missing: No such file"));
}

TEST(RunData, ComesFromABuiltInCorpus) {
  Settings settings;
  settings.corpus = "copy";
  settings.corpus_size = 50;
  const RunData data = load_data(settings), again = load_data(settings);
  EXPECT_EQ(data.train.size(), 50u);
  EXPECT_FALSE(data.valid.empty());
  EXPECT_TRUE(data.train[0].links.empty());
  EXPECT_EQ(data.train, again.train);
  settings.corpus_seed = 2;
  EXPECT_NE(load_data(settings).train, data.train);
  settings.guided_alignment = "corpus";
  EXPECT_FALSE(load_data(settings).train[0].links.empty());
}

TEST(RunData, OneVocabularyCanServeBothSides) {
  Settings settings;
  settings.tokenizer = "word";
  settings.joint_vocab = true;
  const Tokenizers joint = learn_tokenizers(kPairs, settings);
  EXPECT_EQ(joint.source, joint.target);
  EXPECT_EQ(joint.source->size(), 4 + 6);
  settings.joint_vocab = false;
  EXPECT_EQ(learn_tokenizers(kPairs, settings).source->size(), 4 + 3);
}

}  // namespace
}  // namespace fovea::train
