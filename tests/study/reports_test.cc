// What the studies say of given outcomes, and that their trials can be trained.
#include <gmock/gmock.h>

#include <map>

#include "fovea/models/table.h"
#include "fovea/nn/scores/score.h"
#include "fovea/study/kinds.h"
#include "fovea/train/model_config.h"
#include "fovea/train/task.h"

namespace fovea::study {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Right or wrong altogether.
Counts line(bool right, int64_t words = 5) {
  const std::string_view reference[] = {"a b c d e"};
  const std::string_view said = right ? reference[0] : "x y";
  return {words, metrics::bleu_counts(said, reference), metrics::exact_counts(said, reference), {}};
}

std::vector<Outcome> outcomes_of(const Kind& kind) {
  std::vector<Outcome> outcomes;
  for (const Trial& trial : kind.trials()) {
    Outcome outcome{.trial = trial, .state = {}};
    outcome.state.settings = trial.settings;
    outcome.state.update = 100;
    outcome.state.seconds = 2;
    outcome.state.tokens = 50000;
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

// One test line for each length, all of them right.
std::vector<Outcome> outcomes_of(const Kind& kind, const std::vector<int64_t>& lengths) {
  std::vector<Outcome> outcomes = outcomes_of(kind);
  for (Outcome& outcome : outcomes)
    for (const int64_t words : lengths) outcome.lines.push_back(line(true, words));
  return outcomes;
}

void make_wrong(Counts& counts) { counts = line(false, counts.source_words); }

TEST(LengthStudy, ShowsQualityByLength) {
  std::vector<Outcome> outcomes = outcomes_of(length_study(), {1, 10, 11, 35, 60, 61, 75});
  for (size_t i = 2; i < 7; ++i) make_wrong(outcomes[0].lines[i]);
  const Report report = length_study().report(outcomes);
  EXPECT_THAT(report.table.head, ElementsAre("source words", "lines", "bottleneck BLEU", "attention BLEU",
                                             "bottleneck exact %", "attention exact %"));
  EXPECT_THAT(report.table.rows, ElementsAre(Row{"1-10", "2", "100.0", "100.0", "100.0", "100.0"},
                                             Row{"11-20", "1", "0.0", "100.0", "0.0", "100.0"},
                                             Row{"31-40", "1", "0.0", "100.0", "0.0", "100.0"},
                                             Row{"51-60", "1", "0.0", "100.0", "0.0", "100.0"},
                                             Row{"61+", "2", "0.0", "100.0", "0.0", "100.0"}));
  EXPECT_EQ(report.plot.charts[0].series[1].x.back(), 68);
  EXPECT_EQ(report.figures["bottleneck"]["by_length"].size(), 5U);
}

TEST(LengthStudy, TheFindingIsAboutFortyWordsAndMore) {
  std::vector<int64_t> lengths;
  for (int64_t n = 1; n <= 60; ++n) lengths.push_back(n);
  std::vector<Outcome> outcomes = outcomes_of(length_study(), lengths);
  for (size_t i = 40; i < 60; ++i) make_wrong(outcomes[0].lines[i]);
  const Report report = length_study().report(outcomes);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0], HasSubstr("Sources of 40 words and more (21 lines): BLEU "));
  EXPECT_THAT(report.findings[0], HasSubstr("100.0 with attention; exact match 4.8 % and 100.0 %."));
  EXPECT_THAT(report.findings[0], HasSubstr("and 95.2 points of exact match."));
  EXPECT_EQ(report.figures["bottleneck"]["long"]["from"], 40);
  EXPECT_EQ(report.figures["bottleneck"]["long"]["lines"], 21);
}

TEST(LengthStudy, EachMetricHasItsOwnWinner) {
  std::vector<Outcome> outcomes = outcomes_of(length_study(), std::vector<int64_t>(20, 45));
  const std::string_view reference[] = {"a b c d e f g h"};
  for (size_t i = 0; i < 20; ++i) {  // nearly right always, or right half of the time
    const std::string_view nearly = "a b c d e f g x", half = i % 2 == 0 ? "a b c d e f g h" : "x";
    outcomes[0].lines[i] = {
        45, metrics::bleu_counts(half, reference), metrics::exact_counts(half, reference), {}};
    outcomes[1].lines[i] = {
        45, metrics::bleu_counts(nearly, reference), metrics::exact_counts(nearly, reference), {}};
  }
  const Report report = length_study().report(outcomes);
  EXPECT_THAT(report.findings[0],
              ::testing::ContainsRegex("The bottleneck loses [0-9.]+ BLEU and wins 50.0 points"));
}

TEST(LengthStudy, ShortTextHasItsOwnLongest) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 400; ++i) lengths.push_back(1 + i % 20);
  const Report report = length_study().report(outcomes_of(length_study(), lengths));
  EXPECT_EQ(report.figures["attention"]["long"]["from"], 18)
      << "the longest tenth, and those as long as its shortest";
  EXPECT_EQ(report.figures["attention"]["long"]["lines"], 60);
}

TEST(LengthStudy, ASingleTestLineIsEnough) {
  const Report report = length_study().report(outcomes_of(length_study(), {7}));
  EXPECT_EQ(report.figures["attention"]["long"]["from"], 7);
}

TEST(ScoresStudy, ShowsQualityAlignmentAndTime) {
  std::vector<Outcome> outcomes = outcomes_of(scores_study(), {4, 5});
  for (size_t i = 0; i < outcomes.size(); ++i)
    for (Counts& counts : outcomes[i].lines)
      counts.links = {.found = 100,
                      .sure = 100,
                      .found_sure = 100 - static_cast<int64_t>(i),
                      .found_possible = 100 - static_cast<int64_t>(i)};
  make_wrong(outcomes.back().lines[0]);
  outcomes.back().lines[0].links.sure = 1;
  const Report report = scores_study().report(outcomes);
  EXPECT_THAT(report.table.head, ElementsAre("trial", "score", "reach", "weigh", "guided", "BLEU", "exact %",
                                             "AER %", "ms/update", "words/s"));
  EXPECT_EQ(report.table.rows[1], (Row{"scaled_dot", "scaled_dot", "global", "soft", "yes", "100.0", "100.0",
                                       "1.0", "20.0", "25,000"}));
  EXPECT_THAT(report.findings[0], HasSubstr("guided (--guided-alignment), have an alignment error of 0.0 % "
                                            "(dot) to 5.0 % (concat). location, which "
                                            "does not see it: 6.0 %; additive left to itself: 7.0 %."));
  EXPECT_EQ(report.table.rows[7][4], "no");
  EXPECT_EQ(report.figures["hard-gumbel"]["exact"], 50);
  EXPECT_EQ(report.plot.charts.size(), 3U);
}

TEST(ScoresStudy, WithoutGoldAlignmentsThereIsNoAlignmentError) {
  const Report report = scores_study().report(outcomes_of(scores_study(), {4, 5}));
  EXPECT_THAT(report.table.head, Not(Contains("AER %")));
  EXPECT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.plot.charts.size(), 2U);
  EXPECT_FALSE(report.figures["dot"].contains("alignment_error"));
}

TEST(ScoresStudy, HasATrialForEveryScore) {
  std::vector<std::string> names;
  for (const Trial& trial : scores_study().trials()) names.push_back(trial.name);
  for (const nn::Score& score : nn::score_table()) EXPECT_THAT(names, Contains(score.name));
  for (const char* name : {"local-m", "local-p", "hard-reinforce", "hard-variational", "hard-gumbel"})
    EXPECT_THAT(names, Contains(name));
}

// Of 1,000 pictures so many are right, by model and by whether there were few training pictures.
std::vector<Outcome> samples_outcomes(
    const std::map<std::string, std::pair<int64_t, int64_t>>& few_and_many) {
  std::vector<Outcome> outcomes = outcomes_of(samples_study());
  for (Outcome& outcome : outcomes) {
    const train::Settings& s = outcome.trial.settings;
    const auto& [few, many] = few_and_many.at(s.model);
    outcome.labels = {.learned_from = s.corpus_size > 0 ? s.corpus_size : 10000,
                      .pictures = 1000,
                      .right = (s.corpus_size == 100 ? few : many) + (s.shift > 0 ? 10 : 0)};
  }
  return outcomes;
}

TEST(SamplesStudy, ShowsAccuracyByTheNumberOfPictures) {
  const Report report = samples_study().report(
      samples_outcomes({{"cnn", {800, 990}}, {"rowrnn", {610, 970}}, {"vit", {600, 950}}}));
  EXPECT_THAT(report.table.head, ElementsAre("pictures", "cnn %", "rowrnn %", "vit %", "cnn + shift %",
                                             "rowrnn + shift %", "vit + shift %"));
  ASSERT_EQ(report.table.rows.size(), 5U);
  EXPECT_EQ(report.table.rows[0], (Row{"100", "80.0", "61.0", "60.0", "81.0", "62.0", "61.0"}));
  EXPECT_EQ(report.table.rows[4], (Row{"10,000", "99.0", "97.0", "95.0", "100.0", "98.0", "96.0"}));
  EXPECT_EQ(report.plot.charts[1].series[2].y.front(), 61);
  EXPECT_EQ(report.plot.charts[1].series[2].x.back(), 10000);
  EXPECT_EQ(report.figures["vit-100"]["accuracy"], 60);
}

TEST(SamplesStudy, SaysWhetherTheClaimHoldsAgainstEachRival) {
  const Report report = samples_study().report(
      samples_outcomes({{"cnn", {800, 990}}, {"rowrnn", {580, 970}}, {"vit", {600, 950}}}));
  ASSERT_EQ(report.findings.size(), 3U);
  EXPECT_EQ(
      report.findings[0],
      "Of unseen pictures cnn 80.0 %, rowrnn 58.0 % and vit 60.0 % are right after 100 training pictures, "
      "cnn 99.0 %, rowrnn 97.0 % and vit 95.0 % after 10,000.");
  EXPECT_EQ(
      report.findings[1],
      "Does attention need more data than convolution or recurrence? vit is 20.0 points behind cnn with "
      "few and 4.0 behind with many, so the claim holds against it; vit is 2.0 points ahead of rowrnn with "
      "few and 2.0 behind with many, so the claim does not hold against it.");
}

TEST(SamplesStudy, ModelsHaveTheSameNumberOfParameters) {
  std::map<std::string, double> parameters;
  for (const Trial& trial : samples_study().trials()) {
    const std::vector<std::string> labels = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    const auto net = models::make_net(train::labelling_config(trial.settings, 28, 1, labels), 1);
    double count = 0;
    for (const nn::Parameter* parameter : net->parameters())
      count += static_cast<double>(parameter->value.size());
    parameters[trial.settings.model] = count;
  }
  ASSERT_EQ(parameters.size(), 3U);
  for (const auto& [model, count] : parameters) EXPECT_NEAR(count / parameters["vit"], 1, 0.1) << model;
}

TEST(LookAtPicturesStudy, ShowsQualityWhatIsReadAndNoise) {
  std::vector<Outcome> outcomes = outcomes_of(look_at_pictures_study());
  ASSERT_EQ(outcomes.size(), 5U);
  for (size_t i = 0; i < outcomes.size(); ++i)
    outcomes[i].captions = {.pictures = 100,
                            .meaning = 90 - 10 * static_cast<double>(i),
                            .pointing = 80,
                            .places = i == 0 ? 12.34 : 1,
                            .gradient = {.variance = static_cast<double>(5 * (i % 4)), .squared_mean = 2}};
  const Report report = look_at_pictures_study().report(outcomes);
  EXPECT_THAT(report.table.head,
              ElementsAre("trial", "meaning %", "pointing %", "places/word", "ms/update", "gradient noise"));
  EXPECT_EQ(report.table.rows[0], (Row{"soft", "90.0", "80.0", "12.3", "20.0", "0.00"}));
  EXPECT_EQ(report.table.rows[1], (Row{"hard-reinforce", "80.0", "80.0", "1.0", "20.0", "2.50"}));
  EXPECT_THAT(report.findings[0], HasSubstr("Soft attention says 90.0 % of unseen scenes right, "));
  EXPECT_THAT(report.findings[0], HasSubstr("hard-reinforce is the best: 80.0 % right"));
  EXPECT_THAT(report.findings[1], HasSubstr(": hard-exact 0.00, hard-reinforce 2.50, hard-variational 5.00, "
                                            "hard-gumbel 7.50; soft, which draws none, 0.00."));
  EXPECT_EQ(report.figures["hard-exact"]["gradient"]["squared_mean"], 2);
}

TEST(EveryStudy, HasTrialsThatDifferAndCanBeTrained) {
  for (const Kind& kind : study_table())
    for (const Trial& trial : kind.trials()) {
      train::Settings settings = trial.settings;
      settings.out = "out";
      const models::Learns learns = models::model_named(settings.model).learns;
      if (learns == models::Learns::kPairs)
        settings.train_sets = {"a", "b"};
      else
        settings.corpus = learns == models::Learns::kLabelledPictures ? "digits" : "scenes";
      if (!settings.guided_alignment.empty()) settings.guided_alignment = "links";
      settings.after = {1000, 'u'};
      EXPECT_NO_THROW(check_together(settings)) << trial.name;
      EXPECT_NO_THROW(models::make_net(train::task_of(settings.model).some_config(settings), 1))
          << trial.name;
      for (const Trial& other : kind.trials())
        EXPECT_EQ(other.settings == trial.settings, other.name == trial.name)
            << trial.name << " " << other.name;
    }
}

TEST(EveryStudy, IsFoundByItsName) {
  EXPECT_EQ(&study_named("scores"), &study_table()[1]);
  try {
    study_named("lenght");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[study] there is no study 'lenght'; there are length, scores, samples, look-at-pictures");
  }
}

}  // namespace
}  // namespace fovea::study
