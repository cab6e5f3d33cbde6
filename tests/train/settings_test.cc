#include "fovea/train/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "tests/error_message.h"

namespace fovea::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
constexpr uint64_t kSeed = 11;

std::string yaml_error(std::string_view text) {
  Settings settings;
  return error_of([&] { read_yaml(settings, text, "run.yml"); });
}

// Some value that it takes, not always its default.
struct Draw {
  Random& random;
  const Setting& setting;
  void operator()(std::string& value) const {
    const Words names = setting.rules.choices
                            ? setting.rules.choices()
                            : Words{"a b", "", "~", "null", "true", "3", "x: # y", "é\"'\\", "-"};
    value = names[static_cast<size_t>(random.below(static_cast<int64_t>(names.size())))];
  }
  void operator()(int64_t& value) const {
    value = static_cast<int64_t>(setting.rules.least) +
            random.below(static_cast<int64_t>(std::min(1e9, setting.rules.most - setting.rules.least)));
  }
  void operator()(double& value) const {
    value = setting.rules.least +
            (setting.rules.most - setting.rules.least) * static_cast<double>(random.uniform()) * 0.999;
  }
  void operator()(bool& value) const { value = random.below(2) == 1; }
  void operator()(Amount& value) const {
    value = {static_cast<double>(random.below(1000)), "uesmh"[random.below(5)]};
    if (value.unit != 'u') value.count += 0.25;
  }
  void operator()(Words& value) const {
    value.clear();
    for (int64_t n = random.below(3); n > 0; --n) {
      std::string word;
      (*this)(word);
      value.push_back(word);
    }
  }
};
Settings random_settings(Random& random) {
  Settings settings;
  for (const Setting& setting : settings_table())
    std::visit([&](auto member) { Draw{random, setting}(settings.*member); }, setting.member);
  return settings;
}

TEST(Settings, EveryMemberHasOneRowAndGroupsAreTogether) {
  std::set<std::string> keys, groups;
  std::string group;
  for (const Setting& setting : settings_table()) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
    EXPECT_NE(std::string(setting.help), "");
    if (group != setting.group) {
      EXPECT_TRUE(groups.insert(setting.group).second) << setting.group;
    }
    group = setting.group;
  }
  // Two settings that differ in every member differ in every row: no member is without one, none has two.
  Settings one, other;
  std::set<const void*> members;
  for (const Setting& setting : settings_table())
    std::visit([&](auto member) { EXPECT_TRUE(members.insert(&(one.*member)).second) << setting.key; },
               setting.member);
  size_t bytes = 0;
  for (const Setting& setting : settings_table())
    std::visit([&](auto member) { bytes += sizeof(one.*member); }, setting.member);
  EXPECT_GE(bytes + 8 * 8, sizeof(Settings))
      << "a member without a row";  // padding between groups of members
}

TEST(Settings, DefaultsAreWhatTheTableAllows) {
  const Settings defaults;
  for (const Setting& setting : settings_table()) {
    Settings settings;
    EXPECT_EQ(error_of([&] { set(settings, setting, words_of(defaults, setting)); }), "no error")
        << setting.key;
  }
}

TEST(Settings, AnySettingsComeBackFromYamlAndJson) {
  Random random(kSeed);
  for (int round = 0; round < 100; ++round) {
    const Settings settings = random_settings(random);
    Settings from_yaml = random_settings(random);
    read_yaml(from_yaml, to_yaml(settings), "dumped");
    EXPECT_EQ(from_yaml, settings) << to_yaml(settings) << "seed " << kSeed << ", round " << round;
    EXPECT_EQ(settings_from(nlohmann::json::parse(to_json(settings).dump()), "state.json"), settings)
        << round;
  }
}

TEST(Settings, YamlChangesOnlyWhatItNames) {
  Settings settings;
  settings.dim_emb = 77;
  read_yaml(settings,
            "# a comment\ndim-rnn: 512\nafter: 20m\ntrain-sets: [a.en, a.de]\nvalid-sets:\n  - b.en\n  - "
            "b.de\nvalid-metrics: bleu\n"
            "tied-embeddings: true\nlearn-rate: 1e-3\n",
            "run.yml");
  EXPECT_EQ(settings.dim_emb, 77);
  EXPECT_EQ(settings.dim_rnn, 512);
  EXPECT_EQ(settings.after, (Amount{20, 'm'}));
  EXPECT_THAT(settings.train_sets, ElementsAre("a.en", "a.de"));
  EXPECT_THAT(settings.valid_sets, ElementsAre("b.en", "b.de"));
  EXPECT_THAT(settings.valid_metrics, ElementsAre("bleu"));
  EXPECT_TRUE(settings.tied_embeddings);
  EXPECT_EQ(settings.learn_rate, 1e-3);
  Settings same;
  read_yaml(same, "", "empty.yml");
  EXPECT_EQ(same, Settings());
}

TEST(Settings, WrongYamlSaysTheLineAndTheNearestKey) {
  EXPECT_EQ(yaml_error("model: rnn\n\ndim-embb: 3\n"),
            "[train] run.yml:3: 'dim-embb' is no setting: did you mean 'dim-emb'?");
  EXPECT_EQ(yaml_error("dim-emb: wide\n"), "[train] run.yml:1: dim-emb: 'wide' is no whole number");
  EXPECT_EQ(yaml_error("dim-emb: 2.5\n"), "[train] run.yml:1: dim-emb: '2.5' is no whole number");
  EXPECT_EQ(yaml_error("seed: 1\ndim-emb: 0\n"), "[train] run.yml:2: dim-emb: 0: expected 1 to 65536");
  EXPECT_EQ(yaml_error("dropout: 1"), "[train] run.yml:1: dropout: 1: expected 0 or more, and less than 1");
  EXPECT_EQ(yaml_error("learn-rate: nan"), "[train] run.yml:1: learn-rate: 'nan' is no number");
  EXPECT_EQ(yaml_error("quiet: yes"), "[train] run.yml:1: quiet: 'yes' is neither true nor false");
  EXPECT_EQ(yaml_error("cell: gruu"),
            "[train] run.yml:1: cell: there is no 'gruu': did you mean 'gru'? Possible are tanh, gru, lstm");
  EXPECT_THAT(yaml_error("after: 10"),
              HasSubstr("run.yml:1: after: '10' is no amount of training: expected updates as 300u"));
  EXPECT_THAT(yaml_error("valid-metrics: [bleu, blue]"),
              HasSubstr("there is no 'blue': did you mean 'bleu'?"));
  std::string many = "train-sets: [a";
  for (int i = 0; i < 1000; ++i) many += ", a";
  EXPECT_THAT(yaml_error(many + "]"), HasSubstr("run.yml:1: train-sets: 1001 words: expected 1 to 1000"));
  EXPECT_EQ(yaml_error("seed: 1\nseed: 2\n"), "[train] run.yml:2: 'seed' was given in line 1 already");
  EXPECT_THAT(yaml_error("seed:\n"),
              HasSubstr("run.yml:1: seed: expected a value or a list of values, and there is nothing"));
  EXPECT_THAT(yaml_error("seed: {a: b}\n"), HasSubstr("there is a map"));
  EXPECT_THAT(yaml_error("train-sets: [[a], b]\n"), HasSubstr("a value of the list is not a plain one"));
  EXPECT_THAT(yaml_error("a: b: c\n"), HasSubstr("[train] run.yml:1: this is not YAML: "));
  EXPECT_THAT(yaml_error("just words\n"), HasSubstr("expected one key a line"));
  EXPECT_THAT(yaml_error("[a, b]: c\n"), HasSubstr("a key that is not a plain word"));
  EXPECT_NE(yaml_error(std::string(100'000, '[')), "no error");
  EXPECT_THAT(yaml_error(std::string(2'000'000, ' ')), HasSubstr("more than the 1048576"));
}

TEST(Settings, RandomBytesAreNoCrash) {
  Random random(kSeed);
  const std::string base = to_yaml(Settings());
  for (int round = 0; round < 300; ++round) {
    std::string text = base;
    for (int64_t n = 1 + random.below(5); n > 0; --n)
      text[static_cast<size_t>(random.below(static_cast<int64_t>(text.size())))] =
          static_cast<char>(random.below(256));
    yaml_error(text);
  }
}

TEST(Settings, DifferencesSayWhatWasAndIs) {
  Settings was, is;
  is.after = {20, 'e'};
  is.valid_metrics = {"chrf"};
  const std::vector<Difference> found = differences(was, is);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_STREQ(found[0].setting->key, "after");
  EXPECT_EQ(found[0].was, "10e");
  EXPECT_EQ(found[0].is, "20e");
  EXPECT_EQ(found[1].was, "cross-entropy bleu");
}

TEST(Settings, ThatNeedOrExcludeEachOtherAreChecked) {
  struct Case {
    const char* yaml;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {"corpus: copy", "no error"},
           {"train-sets: [a, b]", "no error"},
           {"seed: 2", "nothing to learn from"},
           {"{corpus: copy, out: ''}", "there is no --out"},
           {"{corpus: copy, train-sets: a}", "--corpus and --train-sets"},
           {"{corpus: copy, valid-sets: a}", "--valid-sets goes with --train-sets"},
           {"{train-sets: a, lang: ko}", "give --corpus, too"},
           {"{corpus: copy, tokenizer: spm, vocab-size: 0}", "needs a --vocab-size"},
           {"{corpus: copy, guided-alignment: a}", "it is \"corpus\" with --corpus"},
           {"{train-sets: a, guided-alignment: corpus}", "it is \"corpus\" with --corpus"},
           {"{corpus: copy, guided-alignment: corpus, attention: bottleneck}", "needs attention"},
           {"{corpus: copy, lr-warmup: 2e}", "--lr-warmup 2e: expected updates"},
           {"{corpus: copy, lr-schedule: cosine, after: 0u}", "has to know where it ends"},
           {"{corpus: copy, lr-schedule: cosine, lr-length: 3e, after: 20m}", "no error"},
           {"{corpus: copy, lr-schedule: cosine, after: 300u}", "no error"},
           {"{corpus: copy, lr-schedule: cosine, after: 100u}", "within its warm-up of 200u"},
           {"{corpus: copy, lr-schedule: cosine, lr-length: 500u, after: 20m}", "no error"},
           {"{corpus: copy, tied-embeddings-all: true}", "give --joint-vocab, too"},
           {"{corpus: copy, estimator: gumbel}", "give --weigh hard, too"},
           {"{corpus: copy, score: location, max-length: 128}", "make it less"},
           {"{corpus: copy, score: location, max-length: 127}", "no error"},
           {"{corpus: copy, input-feeding: true}", "--input-feeding is about --attention luong"},
           {"{corpus: copy, valid-metrics: []}", "--valid-metrics has no names"},
           {"{corpus: copy, early-stopping-on: chrf}", "it is not measured"},
           {"{train-sets: a, after: 0e}", "it would never end"},
           {"{corpus: copy, after: 0e}", "no error"},
           {"{corpus: copy, after: 0e, early-stopping: 0}", "it would never end"},
           {"{corpus: copy, momentum: 0.9}", "--momentum is about --optimizer sgd"},
       }) {
    Settings settings;
    settings.out = "run";
    read_yaml(settings, c.yaml, "run.yml");
    EXPECT_THAT(error_of([&] { check_together(settings); }), HasSubstr(c.message)) << c.yaml;
  }
}

}  // namespace
}  // namespace fovea::train
