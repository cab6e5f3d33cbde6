// fovea look as a user runs it: a model's directory and a sentence in, a translation and its map out.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/untrained_model.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

const Words kSources = {"I am a student .", "you are a teacher ."};
const Words kTargets = {"나는 학생 이다 .", "너는 선생님 이다 ."};

class Look : public ::testing::Test {
 protected:
  fs::path folder_ = fs::path(::testing::TempDir()) / fmt::format("look_{}", ::getpid());
  Look() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Look() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // A directory with a model that has learned nothing. `changes` are made to its config.
  std::string model(const Json& changes = {}, const std::string& kind = "word") {
    Json config = small_rnn_config();
    if (!changes.is_null()) config.update(changes);
    const std::string dir = path(fmt::format("model{}", ++models_));
    write_untrained(dir, config, kSources, kTargets, kind);
    return dir;
  }

  static Ran run(const std::string& model, const Words& more) {
    Words all = {"look", "-m", model};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(all);
  }
  Json json_of(const std::string& model, Words more) {
    more.insert(more.end(), {"--json", path("map.json")});
    const Ran ran = run(model, more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Json::parse(read_file(path("map.json")));
  }

  int models_ = 0;
};

void expect_rows_of_one(const Json& matrix) {
  for (const Json& row : matrix) {
    double sum = 0;
    for (const Json& w : row) sum += w.get<double>();
    EXPECT_NEAR(sum, 1, 1e-4);
  }
}

TEST_F(Look, ShowsTheTranslationAndWhereEachPieceLooked) {
  const Ran ran = run(model(), {"I am a student .", "--json", path("map.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json map = Json::parse(read_file(path("map.json")));
  EXPECT_THAT(map["columns"], ElementsAre("I", "am", "a", "student", ".", "<eos>"));
  std::string words;
  for (const Json& row : map["rows"])
    if (row != "<eos>") words += (words.empty() ? "" : " ") + row.get<std::string>();
  EXPECT_THAT(ran.out, StartsWith(words + "\n\ntarget \\ source "));
  EXPECT_EQ(map["title"], "I am a student . → " + words);
  EXPECT_THAT(ran.out, HasSubstr("│    I   am    a student    . <eos> │\n"));
  expect_rows_of_one(map["weights"][0]);
}

TEST_F(Look, UnquotedWordsAreAnErrorThatSaysWhatToType) {
  const Ran ran = run(model(), {"I", "am", "a", "student", "."});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("5 arguments where one sentence is expected: put it in quotes"));
}

TEST_F(Look, LinesOfStandardInputHaveAMapEach) {
  const std::string dir = model();
  const auto given = [&](const Words& more, const std::string& input) {
    Words all = {"look", "-m", dir, "-"};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(all, {}, Stdout::kKept, input);
  };
  const Ran ran = given({}, "I am a student .\n\nyou are\n");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, run(dir, {"I am a student ."}).out + "\n\n" + run(dir, {"you are"}).out);
  EXPECT_EQ(given({"--svg", path("m.svg")}, "I am\n").code, 0);
  EXPECT_EQ(given({"--svg", path("m.svg")}, "I am\nyou are\n").code, 2);
  EXPECT_THAT(given({"--target", "나는"}, "I am\nyou are\n").err,
              HasSubstr("several sentences: files hold the map of one, and --target belongs to one"));
  EXPECT_EQ(given({}, "").code, 2);
}

TEST_F(Look, TheTargetCanBeGiven) {
  const std::string dir = model();
  const Ran ran = run(dir, {"I am a student .", "--target", "나는 선생님 이다 ."});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("나는 선생님 이다 .\n\ntarget \\ source │    I   am    a student    . "
                                  "<eos> │\n나는            │ "));
  const Json map = json_of(dir, {"I am a unicorn .", "--target", "나는 유니콘 이다 ."});
  EXPECT_THAT(map["columns"], ElementsAre("I", "am", "a", "unicorn<unk>", ".", "<eos>"));
  EXPECT_THAT(map["rows"], ElementsAre("나는", "유니콘<unk>", "이다", ".", "<eos>"));
  EXPECT_EQ(map["title"], "I am a unicorn . → 나는 유니콘 이다 .");
  expect_rows_of_one(map["weights"][0]);
}

TEST_F(Look, UnknownTokensAreMarkedAndCounted) {
  const std::string dir = model();
  const Ran ran = run(dir, {"I am a unicorn or a zebra .", "--target", "나는 유니콘 이다 .", "--svg",
                            path("m.svg"), "--html", path("m.html"), "--json", path("m.json")});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err,
            "[look] 3 of 8 source tokens are unknown to this model's vocabulary: unicorn, or, zebra\n"
            "[look] 1 of 4 target tokens is unknown to this model's vocabulary: 유니콘\n");
  EXPECT_THAT(ran.out, AllOf(HasSubstr(" unicorn<unk> "), HasSubstr("\n유니콘<unk> ")));
  EXPECT_THAT(read_file(path("m.svg")), HasSubstr(">unicorn&lt;unk&gt;<"));
  EXPECT_THAT(read_file(path("m.html")), HasSubstr("\"unicorn\\u003cunk>\""));
  const Json map = Json::parse(read_file(path("m.json")));
  EXPECT_THAT(map["columns"],
              ElementsAre("I", "am", "a", "unicorn<unk>", "or<unk>", "a", "zebra<unk>", ".", "<eos>"));
  // They are found by their text alone, and are marked as words, too.
  EXPECT_EQ(run(dir, {"I am a unicorn .", "--target", "나는 유니콘", "--token", "유니콘"}).code, 0);
  const std::string letters = model({}, "char");
  const Json words = json_of(letters, {"I am a unicorn .", "--target", "나는", "--words"});
  EXPECT_THAT(words["columns"], ElementsAre("I", "am", "a", "unicorn<unk>", ".", "<eos>"));
  EXPECT_EQ(run(dir, {"I am a student .", "--target", "나는"}).err, "");
}

TEST_F(Look, TheTranslationsMapIsThatOfTheSameTextGiven) {
  const std::string dir = model();
  const Json own = json_of(dir, {"I am a student ."});
  std::string text = own["title"];
  text = text.substr(text.find(" → ") + 5);
  const Json given = json_of(dir, {"I am a student .", "--target", text});
  for (size_t r = 0; r < own["rows"].size(); ++r) {
    EXPECT_EQ(own["rows"][r], given["rows"][r]);
    for (size_t c = 0; c < own["columns"].size(); ++c)
      EXPECT_NEAR(own["weights"][0][r][c].get<float>(), given["weights"][0][r][c].get<float>(), 1e-5);
  }
}

TEST_F(Look, PiecesBecomeWords) {
  const std::string dir = model({}, "char");
  const Words sentence = {"I am", "--target", "나는 학생"};
  const Json pieces = json_of(dir, sentence);
  EXPECT_THAT(pieces["columns"], ElementsAre("I", "▁", "a", "m", "<eos>"));
  EXPECT_THAT(pieces["rows"], ElementsAre("나", "는", "▁", "학", "생", "<eos>"));
  Words merged = sentence;
  merged.emplace_back("--words");
  const Json words = json_of(dir, merged);
  EXPECT_THAT(words["columns"], ElementsAre("I", "am", "<eos>"));
  EXPECT_THAT(words["rows"], ElementsAre("나는", "학생", "<eos>"));
  const auto at = [&](size_t r, size_t c) { return pieces["weights"][0][r][c].get<double>(); };
  double student = 0;  // "▁학생" on "▁am"
  for (size_t r : {2, 3, 4})
    for (size_t c : {1, 2, 3}) student += at(r, c) / 3;
  EXPECT_NEAR(words["weights"][0][1][1].get<double>(), student, 1e-5);
  expect_rows_of_one(words["weights"][0]);
}

TEST_F(Look, HeadsAreChosenByNumberOrName) {
  const std::string dir = model({{"heads", 2}});
  const Words sentence = {"I am a student .", "--target", "나는"};
  const auto with = [&](const Words& more) {
    Words all = sentence;
    all.insert(all.end(), more.begin(), more.end());
    return run(dir, all);
  };
  const Ran every = with({});
  EXPECT_THAT(every.out, HasSubstr("\nhead 0\n"));
  EXPECT_THAT(every.out, HasSubstr("\nhead 1\n"));
  EXPECT_EQ(with({"--head", "every"}).out, every.out);
  EXPECT_THAT(with({"--head", "1"}).out, AllOf(HasSubstr("\nhead 1\n"), Not(HasSubstr("\nhead 0\n"))));
  EXPECT_THAT(with({"--head", "mean"}).out, HasSubstr("\nmean of 2 heads\n"));
  EXPECT_THAT(with({"--head", "2"}).err, HasSubstr("[look] head 2: the map has 2, counted from 0"));
  EXPECT_EQ(with({"--head", "2"}).code, 1);
  EXPECT_EQ(with({"--head", "most"}).code, 2);
  EXPECT_THAT(with({"--head", "most"}).err, HasSubstr("expected every, mean, or a number from 0"));
}

TEST_F(Look, HardChoicesAreMarked) {
  const std::string dir = model({{"weigh", "hard"}});
  const Words sentence = {"I am a student .", "--target", "나는 학생"};
  const Ran ran = run(dir, sentence);
  EXPECT_THAT(ran.out, HasSubstr("*1.00"));
  EXPECT_THAT(ran.out, HasSubstr("* the chosen source\n"));
  const Json map = json_of(dir, sentence);
  ASSERT_EQ(map["chosen"][0].size(), 3u);
  for (size_t r = 0; r < 3; ++r) EXPECT_EQ(map["weights"][0][r][map["chosen"][0][r].get<size_t>()], 1.0);
}

TEST_F(Look, EveryFileIsWritten) {
  const Ran ran = run(model(), {"I am a student .", "--svg", path("m.svg"), "--png", path("m.png"), "--html",
                                path("m.html"), "--json", path("m.json")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read_file(path("m.svg")), HasSubstr(">student<"));
  EXPECT_THAT(read_file(path("m.png")), StartsWith("\x89PNG"));
  EXPECT_THAT(read_file(path("m.html")), HasSubstr("<title>I am a student . → "));
  EXPECT_EQ(Json::parse(read_file(path("m.json")))["row_name"], "target");
}

TEST_F(Look, AModelThatDoesNotLookTranslatesAndSaysSo) {
  const std::string dir = model({{"attention", "bottleneck"}});
  const Ran ran = run(dir, {"I am a student .", "--svg", path("m.svg")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  EXPECT_THAT(ran.err,
              HasSubstr(dir + " does not look: its decoder gets the source as one fixed vector; train with "
                              "--attention bahdanau or luong\n"));
  EXPECT_FALSE(fs::exists(path("m.svg")));
}

TEST_F(Look, WhatIsWrongIsSaidInOneLine) {
  const std::string dir = model();
  const auto complain = [&](const Words& words, int code, const std::string& text) {
    const Ran ran = run(dir, words);
    EXPECT_EQ(ran.code, code) << text;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(text));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  };
  complain({}, 2, "sentence is required");
  complain({"  \t"}, 2, "there is no sentence: nothing but blanks");
  complain({"I am \xff"}, 2, "the sentence is not UTF-8");
  complain({"I am", "--target", "\xff"}, 2, "--target is not UTF-8");
  complain({"I am", "--target", "나는", "--beam-size", "3"}, 2, "--target excludes --beam-size");
  complain({"I am", "--beam-size", "0"}, 2, "--beam-size");
  const Ran unwritable = run(dir, {"I am", "--svg", path("no/such/m.svg")});
  EXPECT_EQ(unwritable.code, 1);
  EXPECT_EQ(unwritable.out, "");
  EXPECT_THAT(unwritable.err, HasSubstr("no/such/m.svg: No such file or directory\n"));
  std::string endless;
  for (int i = 0; i < 1001; ++i) endless += "I ";
  complain({endless}, 1, "[look] the sentence has 1001 tokens: expected 1000 or fewer");
  complain({"I am", "--target", endless}, 1, "[look] --target has 1001 tokens: expected 1000 or fewer");
  EXPECT_EQ(run(path("nowhere"), {"I am"}).code, 1);
  EXPECT_THAT(run(path("nowhere"), {"I am"}).err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace fovea::testing
