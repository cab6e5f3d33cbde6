// What the studies say of given outcomes, and that their trials can be trained.
#include <gmock/gmock.h>

#include "fovea/models/table.h"
#include "fovea/nn/scores/score.h"
#include "fovea/study/kinds.h"
#include "fovea/train/model_config.h"

namespace fovea::study {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string words(int64_t n) {
  std::string text = "w";
  for (int64_t i = 1; i < n; ++i) text += " w";
  return text;
}

// One test line for each length.
Parts parts_of(const std::vector<int64_t>& lengths) {
  Parts parts;
  for (const int64_t n : lengths) parts.pairs.test.push_back({words(n), words(n), {}});
  return parts;
}

// Right or wrong altogether.
Counts line(bool right) {
  const std::string_view reference[] = {"a b c d e"};
  const std::string_view said = right ? reference[0] : "x y";
  return {metrics::bleu_counts(said, reference), metrics::exact_counts(said, reference), {}};
}

std::vector<Outcome> outcomes_of(const Kind& kind, const Parts& parts) {
  std::vector<Outcome> outcomes;
  for (const Trial& trial : kind.trials()) {
    Outcome outcome{
        .trial = trial, .state = {}, .lines = std::vector<Counts>(parts.pairs.test.size(), line(true))};
    outcome.state.settings = trial.settings;
    outcome.state.update = 100;
    outcome.state.seconds = 2;
    outcome.state.tokens = 50000;
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

TEST(LengthStudy, ShowsQualityByLength) {
  const Parts parts = parts_of({1, 10, 11, 35, 60, 61, 75});
  std::vector<Outcome> outcomes = outcomes_of(length_study(), parts);
  for (size_t i = 2; i < 7; ++i) outcomes[0].lines[i] = line(false);
  const Report report = length_study().report(parts, outcomes);
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
  const Parts parts = parts_of(lengths);
  std::vector<Outcome> outcomes = outcomes_of(length_study(), parts);
  for (size_t i = 39; i < 60; ++i) outcomes[0].lines[i] = line(i == 39);
  const Report report = length_study().report(parts, outcomes);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_THAT(report.findings[0], HasSubstr("Sources of 40 words and more (21 lines): BLEU "));
  EXPECT_THAT(report.findings[0], HasSubstr("100.0 with attention; exact match 4.8 % and 100.0 %."));
  EXPECT_THAT(report.findings[0], HasSubstr("and 95.2 points of exact match."));
  EXPECT_EQ(report.figures["bottleneck"]["long"]["from"], 40);
  EXPECT_EQ(report.figures["bottleneck"]["long"]["lines"], 21);
}

TEST(LengthStudy, EachMetricHasItsOwnWinner) {
  const Parts parts = parts_of(std::vector<int64_t>(20, 45));
  std::vector<Outcome> outcomes = outcomes_of(length_study(), parts);
  const std::string_view reference[] = {"a b c d e f g h"};
  for (size_t i = 0; i < 20; ++i) {  // nearly right always, or right half of the time
    const std::string_view nearly = "a b c d e f g x", half = i % 2 == 0 ? "a b c d e f g h" : "x";
    outcomes[0].lines[i] = {
        metrics::bleu_counts(half, reference), metrics::exact_counts(half, reference), {}};
    outcomes[1].lines[i] = {
        metrics::bleu_counts(nearly, reference), metrics::exact_counts(nearly, reference), {}};
  }
  const Report report = length_study().report(parts, outcomes);
  EXPECT_THAT(report.findings[0],
              ::testing::ContainsRegex("The bottleneck loses [0-9.]+ BLEU and wins 50.0 points"));
}

TEST(LengthStudy, ShortTextHasItsOwnLongest) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 400; ++i) lengths.push_back(1 + i % 20);
  const Parts parts = parts_of(lengths);
  const Report report = length_study().report(parts, outcomes_of(length_study(), parts));
  EXPECT_EQ(report.figures["attention"]["long"]["from"], 18)
      << "the longest tenth, and those as long as its shortest";
  EXPECT_EQ(report.figures["attention"]["long"]["lines"], 60);
}

TEST(LengthStudy, ASingleTestLineIsEnough) {
  const Parts parts = parts_of({7});
  EXPECT_EQ(
      length_study().report(parts, outcomes_of(length_study(), parts)).figures["attention"]["long"]["from"],
      7);
}

TEST(ScoresStudy, ShowsQualityAlignmentAndTime) {
  const Parts parts = parts_of({4, 5});
  std::vector<Outcome> outcomes = outcomes_of(scores_study(), parts);
  for (size_t i = 0; i < outcomes.size(); ++i)
    for (Counts& counts : outcomes[i].lines)
      counts.links = {.found = 100,
                      .sure = 100,
                      .found_sure = 100 - static_cast<int64_t>(i),
                      .found_possible = 100 - static_cast<int64_t>(i)};
  outcomes.back().lines[0] = line(false);
  outcomes.back().lines[0].links.sure = 1;
  const Report report = scores_study().report(parts, outcomes);
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
  const Parts parts = parts_of({4, 5});
  const Report report = scores_study().report(parts, outcomes_of(scores_study(), parts));
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

TEST(EveryStudy, HasTrialsThatDifferAndCanBeTrained) {
  for (const Kind& kind : study_table())
    for (const Trial& trial : kind.trials()) {
      train::Settings settings = trial.settings;
      settings.out = "out";
      settings.train_sets = {"a", "b"};
      if (!settings.guided_alignment.empty()) settings.guided_alignment = "links";
      settings.after = {1000, 'u'};
      EXPECT_NO_THROW(check_together(settings)) << trial.name;
      EXPECT_NO_THROW(models::make_net(train::model_config(settings, 10, 10), 1)) << trial.name;
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
    EXPECT_STREQ(error.what(), "[study] there is no study 'lenght'; there are length, scores");
  }
}

}  // namespace
}  // namespace fovea::study
