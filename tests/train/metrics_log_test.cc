#include "fovea/train/metrics_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/train/report.h"
#include "tests/temporary_directory.h"

namespace fovea::train {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

RunState state_at(int64_t update) {
  RunState state;
  state.update = update;
  state.position = {1, 5};
  state.sentences = 6400;
  state.tokens = 80211;
  state.seconds = 120;
  state.shown = {.cross_entropy = 10, .seconds = 2, .tokens = 4};
  state.best = {{"bleu", {31.5, 40}}};
  return state;
}
const Updated kUpdated{.gradient_norm = 1.25f, .learning_rate = 0.002};

TEST(MetricsLog, HasOneObjectALine) {
  const TemporaryDirectory dir;
  const std::string path = dir / "metrics.jsonl";
  {
    MetricsLog log(path, nullptr);
    log.displayed(state_at(100), kUpdated);
    log.validated(state_at(100),
                  {.values = {{"cross-entropy", 2.5, true, true},
                              {"bleu", std::numeric_limits<double>::quiet_NaN(), false, false}},
                   .seconds = 0.5,
                   .best = true,
                   .stalled = 0});
  }
  EXPECT_EQ(
      read_file(path),
      "{\"kind\":\"train\",\"update\":100,\"epoch\":2,\"sentences\":6400,\"tokens\":80211,\"cost\":2.5,"
      "\"seconds\":2.0,\"words_per_second\":2.0,\"gradient_norm\":1.25,\"learn_rate\":0.002,\"minutes\":2.0,"
      "\"skipped\":0}\n"
      "{\"kind\":\"valid\",\"update\":100,\"epoch\":2,\"minutes\":2.0,\"metrics\":{\"cross-entropy\":2.5,"
      "\"bleu\":null},\"best\":true,\"stalled\":0,\"seconds\":0.5}\n");
}

TEST(MetricsLog, LinesAfterTheResumedUpdateAndAnUnfinishedOneAreCutOff) {
  const TemporaryDirectory dir;
  const std::string path = dir / "metrics.jsonl";
  const std::string first = "{\"update\":10}\nnot ours\n{\"update\":20}\n",
                    later = "{\"update\":30}\n{\"update\":40}\n";
  const auto kept = [&](const std::string& text, int64_t update, int64_t validated = -1) {
    std::ofstream(path) << text;
    RunState state = state_at(update);
    state.validated = validated;
    MetricsLog(path, &state);
    return read_file(path);
  };
  EXPECT_EQ(kept(first + later, 20), first);
  EXPECT_EQ(kept(first + later, 29), first);
  EXPECT_EQ(kept(first + later, 40), first + later);
  EXPECT_EQ(kept(first + "{\"upda", 20), first);
  EXPECT_EQ(kept(first + later, -1), "");
  // Killed after the validation of the update was logged, before it was saved: it comes again.
  const std::string train = "{\"kind\":\"train\",\"update\":20}\n",
                    valid = "{\"kind\":\"valid\",\"update\":20}\n";
  EXPECT_EQ(kept(train + valid, 20, 10), train);
  EXPECT_EQ(kept(train + valid, 20, 20), train + valid);
  EXPECT_EQ(kept("", 3), "");
  {
    const RunState state = state_at(3);
    MetricsLog log(path, &state);
    log.displayed(state_at(4), kUpdated);
  }
  EXPECT_THAT(read_file(path), HasSubstr("\"update\":4"));
}

TEST(MetricsLog, APlaceThatCannotHoldItIsAnError) {
  for (const char* path : {"/dev/full", "/proc/metrics.jsonl", "/dev/shm"}) {
    try {
      MetricsLog log(path, nullptr);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("[metrics] ") + path + ": "));
    }
  }
}

TEST(Report, LinesAreMarians) {
  EXPECT_EQ(train_line(state_at(100), kUpdated),
            "Ep. 2 : Up. 100 : Sen. 6,400 : Cost 2.5000 : Time 2.00s : 2.0 words/s : gNorm 1.2500 : L.r. "
            "2.0000e-03");
  EXPECT_EQ(valid_line(state_at(100), {"bleu", 32, true, true}, 0),
            "[valid] Ep. 2 : Up. 100 : bleu : 32.0000 : new best");
  EXPECT_EQ(valid_line(state_at(100), {"bleu", 31, false, true}, 2),
            "[valid] Ep. 2 : Up. 100 : bleu : 31.0000 : best was 31.5000 at Up. 40 : stalled 2 times");
  EXPECT_EQ(valid_line(state_at(100), {"chrf", std::numeric_limits<double>::infinity(), false, false}, 0),
            "[valid] Ep. 2 : Up. 100 : chrf : inf : not finite");
}

TEST(Report, NumbersAndTimesAreReadable) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(readable_time(0.4), "0s");
  EXPECT_EQ(readable_time(59.6), "1m00s");
  EXPECT_EQ(readable_time(192), "3m12s");
  EXPECT_EQ(readable_time(7500), "2h05m");
}

TEST(Report, TheBarShowsTheShareOfTheWorkAndFitsALine) {
  RunState state = state_at(150);
  state.settings.after = {300, 'u'};
  EXPECT_EQ(bar_line(state, 8123.4, 192, 100),
            "Up. 150  Ep. 2  [########........]  50 %  cost 2.5000  8,123 words/s  3m12s left");
  state.settings.after = {0, 'u'};
  EXPECT_EQ(bar_line(state, 8123.4, -1, 100), "Up. 150  Ep. 2  cost 2.5000  8,123 words/s");
  state.update = 1'234'567;
  state.settings.after = {1'300'000, 'u'};
  for (int columns = 0; columns < 200; ++columns)
    EXPECT_LT(bar_line(state, 123456, 36000 * 2, columns).size(), static_cast<size_t>(std::max(columns, 1)));
  EXPECT_EQ(bar_line(state, 123456, 72000, 80),
            "Up. 1,234,567  Ep. 2   95 %  cost 2.5000  123,456 words/s  20h00m left");
  EXPECT_EQ(bar_line(state, 123456, 72000, 40), " 95 %  cost 2.5000  20h00m left");
}

// What is written where: a bar on a terminal, lines elsewhere.
TEST(Report, ATerminalHasABarAndAFileHasLines) {
  const TemporaryDirectory dir;
  for (const bool bar : {true, false}) {
    const std::string path = dir / (bar ? "terminal" : "file");
    std::FILE* out = std::fopen(path.c_str(), "w");
    {
      Report report(out, bar, [](std::string_view line) { return std::string(line) + "\n"; });
      report.began(state_at(0));
      report.updated(state_at(100), kUpdated);
      report.displayed(state_at(100), kUpdated);
      report.said("hello");
    }
    std::fclose(out);
    const std::string text = read_file(path);
    if (bar) {
      EXPECT_THAT(text,
                  MatchesRegex("\r.\\[KUp\\. 100  Ep\\. 2 .*\r.\\[K\\[[-0-9 :]+\\] \\[train\\] hello\n"));
    } else {
      EXPECT_THAT(
          text,
          MatchesRegex("\\[[-0-9]+ [0-9:]+\\] Ep\\. 2 : Up\\. 100 .*\n\\[[-0-9 :]+\\] \\[train\\] hello\n"));
    }
  }
}

}  // namespace
}  // namespace fovea::train
