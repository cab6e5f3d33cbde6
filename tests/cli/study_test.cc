// fovea study as a user runs it.
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StudyVerb : public ::testing::Test {
 protected:
  // Pairs in which the target is the source backwards.
  StudyVerb() {
    std::ofstream source(directory_ / "s.txt"), target(directory_ / "t.txt");
    for (int i = 0; i < 500; ++i) {
      std::string line, reversed;
      for (int k = 0; k <= i % 25; ++k) {
        const std::string word = std::to_string((i * (k + 3)) % 19);
        line += (k ? " " : "") + word;
        reversed = word + (k ? " " : "") + reversed;
      }
      source << line << '\n';
      target << reversed << '\n';
    }
  }
  Ran study(const std::string& name, const std::string& out) const {
    return run_command({"study", name, "--out", directory_ / out, "--minutes", "0.01", "--threads", "1",
                        "--data", directory_ / "s.txt", directory_ / "t.txt"});
  }
  TemporaryDirectory directory_;
};

TEST_F(StudyVerb, LengthShowsATableAChartAndASentence) {
  const Ran ran = study("length", "a");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("| source words | lines | bottleneck BLEU | attention BLEU | bottleneck "
                                  "exact % | attention exact % |\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n| 21-30"));
  EXPECT_THAT(ran.out, HasSubstr("\nSources of "));
  EXPECT_THAT(ran.out, HasSubstr("What the bottleneck costs\n"));
  EXPECT_THAT(ran.out, HasSubstr("Wrote " + (directory_ / "a") + "/study.json, "));
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("[study] length: 2 trials; "), HasSubstr("[study] 1/2 bottleneck: 100 %"),
                    HasSubstr("[study] 2/2 attention: ")));
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\033")));
  for (const char* name :
       {"study.json", "table.md", "length.svg", "length.png", "runs/attention/last/config.json"})
    EXPECT_TRUE(fs::exists(directory_ / "a/" + name)) << name;
  EXPECT_EQ(ran.out.find(read_file(directory_ / "a/table.md")), 0U);
}

TEST_F(StudyVerb, ScoresOfYourOwnPairsHaveNoAlignmentError) {
  const Ran ran = study("scores", "a");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("| general "), HasSubstr("| hard-reinforce "), Not(HasSubstr("AER")),
                             Not(HasSubstr("unguided"))));
  EXPECT_THAT(ran.out, HasSubstr("Hard attention learned by REINFORCE: BLEU "));
}

TEST_F(StudyVerb, TheBuiltInGrammarHasGoldAlignments) {
  const Ran ran =
      run_command({"study", "length", "--out", directory_ / "a", "--minutes", "0.001", "--threads", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n| 51-60 "));
  EXPECT_THAT(ran.err, HasSubstr("alignment error"));
}

TEST_F(StudyVerb, SamplesShowsATableAChartAndWhatTheyMean) {
  const Ran ran =
      run_command({"study", "samples", "--out", directory_ / "a", "--minutes", "0.001", "--threads", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("| pictures | cnn % | rowrnn % | vit % | cnn + shift % |"));
  EXPECT_THAT(ran.out, HasSubstr("Does attention need more data than convolution or recurrence?"));
  EXPECT_THAT(ran.err,
              HasSubstr("[study] samples: 30 trials; up to 10,000 pictures to learn from, 100 to test on"));
}

TEST_F(StudyVerb, LookAtPicturesShowsEveryEstimator) {
  const Ran ran = run_command(
      {"study", "look-at-pictures", "--out", directory_ / "a", "--minutes", "0.001", "--threads", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("| soft "), HasSubstr("| hard-reinforce "), HasSubstr("| hard-variational "),
                    HasSubstr("| hard-gumbel "), HasSubstr("| hard-exact ")));
}

TEST_F(StudyVerb, AStopSavesAndTheSameCommandGoesOn) {
  const std::string out = directory_ / "a";
  const pid_t child = fork();
  if (child == 0) {
    const int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, STDOUT_FILENO);
    dup2(quiet, STDERR_FILENO);
    const std::string s = directory_ / "s.txt", t = directory_ / "t.txt";
    execl(FOVEA_COMMAND, FOVEA_COMMAND, "study", "length", "--out", out.c_str(), "--minutes", "0.5",
          "--threads", "1", "--data", s.c_str(), t.c_str(), nullptr);
    _exit(127);
  }
  while (!fs::exists(out + "/runs/bottleneck/last/manifest.json")) usleep(10'000);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(fs::exists(out + "/study.json"));
  EXPECT_FALSE(fs::exists(out + "/runs/attention"));
  const Ran ran = study("length", "a");  // with less to do
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(fs::exists(out + "/study.json"));
}

TEST_F(StudyVerb, ExplainsWrongUsage) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"study"}, "NAME is required"},
      {{"study", "length"}, "--out is required"},
      {{"study", "lengths", "--out", "x"}, "there is no study 'lengths'; there are length, scores, samples"},
      {{"study", "length", "--out", "x", "--minutes", "0"}, "--minutes"},
      {{"study", "length", "--out", "x", "--data", "a"}, "--data"},
      {{"study", "length", "--out", "x", "--seed", "-1"}, "--seed"},
  };
  for (const auto& [arguments, message] : cases) {
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

TEST_F(StudyVerb, FailsInOneLine) {
  const Ran missing = run_command({"study", "length", "--out", directory_ / "a", "--data", "no", "file"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err, "[study] no: No such file or directory\n");
  const Ran useless =
      run_command({"study", "look-at-pictures", "--out", directory_ / "b", "--data", "no", "file"});
  EXPECT_EQ(useless.code, 1);
  EXPECT_EQ(
      useless.err,
      "[study] look-at-pictures has a built-in corpus and takes no data of your own: leave out --data\n");
}

TEST_F(StudyVerb, HelpListsTheStudies) {
  const Ran ran = run_command({"study", "--help"});
  EXPECT_EQ(ran.code, 0);
  for (const char* text :
       {"--out DIR", "--minutes N", "--data FILE FILE", "--seed N", "  length            quality against",
        "  scores            every score", "  samples           accuracy against", "(IMAGES LABELS)",
        "  look-at-pictures  captions of pictures", "fovea study length --out length"})
    EXPECT_THAT(ran.out, HasSubstr(text));
}

}  // namespace
}  // namespace fovea::testing
