#include "fovea/study/run.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "tests/temporary_directory.h"

namespace fovea::study {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// Two models that are trained in the blink of an eye.
std::vector<Trial> tiny_trials() {
  train::Settings settings;
  settings.dim_emb = settings.dim_rnn = 8;
  settings.mini_batch_words = 200;
  settings.lr_schedule = "cosine";
  Trial first{"first", settings}, second{"second", settings};
  second.settings.attention = "bottleneck";
  return {first, second};
}

Report tiny_report(std::span<const Outcome> outcomes) {
  Report report;
  report.table.head = {"trial", "lines"};
  look::Chart chart{.y = {"BLEU"}, .series = {{}}};
  for (const Outcome& outcome : outcomes) {
    Counts sum;
    for (const Counts& line : outcome.lines) sum += line;
    const Quality quality = quality_of(sum);
    report.table.rows.push_back({outcome.trial.name, fmt::format("{}", quality.lines)});
    report.figures[outcome.trial.name] = {{"bleu", quality.bleu},
                                          {"aligned", quality.alignment_error.has_value()},
                                          {"tests", outcome.lines.size()}};
    chart.groups.push_back(outcome.trial.name);
    chart.series[0].y.push_back(quality.bleu);
  }
  report.plot.charts = {chart};
  report.findings = {"All is well."};
  return report;
}

const Kind kTiny = {.name = "tiny",
                    .what = "for tests",
                    .subject = pairs_of_lines({.train = 400, .valid = 20, .test = 120, .language = "ko"}),
                    .own_data = "SRC TRG",
                    .updates = 12,
                    .trials = tiny_trials,
                    .report = tiny_report};

class Study : public ::testing::Test {
 protected:
  Options options(const std::string& name) const {
    Options o;
    o.out = directory_ / name;
    o.threads = 1;
    return o;
  }
  Json figures(const std::string& name) const {
    return Json::parse(read_file(directory_ / name + "/study.json"));
  }
  static std::string error_of(const Kind& kind, const Options& options) {
    try {
      run(kind, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // What must not depend on the machine.
  static Json without_time(Json figures) {
    for (Json& trial : figures.at("trials")) {
      trial.erase("time");
      for (const char* path : {"out", "train-sets", "valid-sets"}) trial.at("settings").erase(path);
    }
    return figures;
  }
  TemporaryDirectory directory_;
};

TEST_F(Study, WritesFiguresTableAndPlots) {
  const auto report = run(kTiny, options("a"));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->table.rows, (std::vector<Row>{{"first", "120"}, {"second", "120"}}));
  EXPECT_THAT(report->findings, ElementsAre("All is well."));

  EXPECT_EQ(read_file(directory_ / "a/table.md"), to_text(report->table));
  EXPECT_THAT(read_file(directory_ / "a/tiny.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(read_file(directory_ / "a/tiny.png").substr(1, 3), "PNG");
  const Json json = figures("a");
  EXPECT_EQ(json.at("study"), "tiny");
  EXPECT_EQ(json.at("pairs"), (Json{{"train", 400}, {"valid", 20}, {"test", 120}}));
  EXPECT_EQ(json.at("findings"), Json::array({"All is well."}));
  const Json& first = json.at("trials").at(0);
  EXPECT_EQ(first.at("name"), "first");
  EXPECT_EQ(first.at("updates"), 12);
  EXPECT_EQ(first.at("settings").at("dim-emb"), "8");
  EXPECT_EQ(first.at("quality").at("aligned"), true);
  EXPECT_EQ(json.at("trials").at(1).at("quality").at("aligned"), false) << "a bottleneck does not look";
  EXPECT_GT(first.at("time").at("words_per_second"), 0);
  for (const char* name : {"first", "second"})
    EXPECT_TRUE(fs::exists(directory_ / "a/runs/" + name + "/last/model.safetensors"));
}

TEST_F(Study, TheSameSeedGivesTheSameFigures) {
  Options other = options("c");
  other.seed = 2;
  run(kTiny, options("a"));
  run(kTiny, options("b"));
  run(kTiny, other);
  EXPECT_EQ(without_time(figures("a")), without_time(figures("b")));
  EXPECT_NE(without_time(figures("a")).at("trials"), without_time(figures("c")).at("trials"));
}

TEST_F(Study, GoesOnWhereItStopped) {
  run(kTiny, options("whole"));
  // Stopped ever later: in the training of the first, in its test, in the training of the second, ...
  int stops = 0;
  for (int patience = 3; stops < 50; patience += 40, ++stops) {
    int asked = 0;
    if (run(kTiny, options("stopped"), [&] { return ++asked > patience; })) break;
    EXPECT_FALSE(fs::exists(directory_ / "stopped/study.json"));
    EXPECT_FALSE(fs::exists(directory_ / "stopped/tiny.svg"));
  }
  EXPECT_GE(stops, 2);
  EXPECT_EQ(without_time(figures("stopped")), without_time(figures("whole")));
}

TEST_F(Study, AFinishedOneIsTestedAgainAndNotTrained) {
  run(kTiny, options("a"));
  const Json was = figures("a");
  const auto weights = fs::last_write_time(directory_ / "a/runs/first/last/model.safetensors");
  EXPECT_TRUE(run(kTiny, options("a")).has_value());
  EXPECT_EQ(figures("a"), was) << "times too: they are those of the training";
  EXPECT_EQ(fs::last_write_time(directory_ / "a/runs/first/last/model.safetensors"), weights);
}

TEST_F(Study, MoreMinutesAreMoreUpdates) {
  Options half = options("a");
  half.minutes = kMinutes / 2;
  run(kTiny, half);
  EXPECT_EQ(figures("a").at("trials").at(1).at("updates"), 6);
  run(kTiny, options("a"));
  EXPECT_EQ(figures("a").at("trials").at(1).at("updates"), 12) << "and a study can go on with them";
}

TEST_F(Study, TakesPairsOfYourOwn) {
  std::string source, target;
  for (int i = 0; i < 400; ++i) {
    source += fmt::format("{} {} {}\n", i % 7, i % 11, i);
    target += fmt::format("{} {}\n", i % 11, i % 7);
  }
  write_atomically(directory_ / "s", source);
  write_atomically(directory_ / "t", target);
  Options own = options("a");
  own.data = {directory_ / "s", directory_ / "t"};
  run(kTiny, own);
  const Json json = figures("a");
  EXPECT_EQ(json.at("data"), (Json{directory_ / "s", directory_ / "t"}));
  const Json& pairs = json.at("pairs");
  EXPECT_EQ(pairs.at("train").get<int>() + pairs.at("valid").get<int>() + pairs.at("test").get<int>(), 400);
  for (const Json& trial : json.at("trials")) {
    EXPECT_EQ(trial.at("quality").at("aligned"), false) << "there is no gold alignment";
    EXPECT_EQ(trial.at("quality").at("tests"), pairs.at("test"));
  }
}

TEST_F(Study, LeavesAnotherStudyAlone) {
  run(kTiny, options("a"));
  const std::string was = read_file(directory_ / "a/study.json");
  Options other = options("a");
  other.seed = 2;
  EXPECT_THAT(error_of(kTiny, other), HasSubstr("[study] " + (directory_ / "a") +
                                                " holds the study {\"seed\":1,\"study\":\"tiny\"}"));
  Kind renamed = kTiny;
  renamed.name = "other";
  EXPECT_THAT(error_of(renamed, options("a")), HasSubstr("choose another --out"));
  EXPECT_EQ(read_file(directory_ / "a/study.json"), was);
}

TEST_F(Study, SaysWhichFileIsMissing) {
  Options own = options("a");
  own.data = {directory_ / "nothing", directory_ / "nothing"};
  EXPECT_THAT(error_of(kTiny, own), HasSubstr("[study] " + (directory_ / "nothing") + ": No such file"));
}

TEST_F(Study, AQuickLookIsTestedOnFewerLines) {
  Kind kind = kTiny;
  kind.subject = pairs_of_lines({.train = 400, .valid = 20, .test = 1000, .language = "ko"});
  Options quick = options("a");
  quick.minutes = 0.5;
  run(kind, quick);
  EXPECT_EQ(figures("a").at("pairs").at("test"), 250);
}

}  // namespace
}  // namespace fovea::study
