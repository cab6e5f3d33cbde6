#include <gmock/gmock.h>

#include <algorithm>

#include "fovea/cli/verbs.h"
#include "tests/cli/run_command.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// One line, and nothing on standard output.
void expect_complaint(const Ran& ran, int code) {
  EXPECT_EQ(ran.code, code);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_TRUE(ran.err.ends_with('\n')) << ran.err;
}

TEST(Command, HelpListsEveryVerbAndAnExample) {
  const Ran ran = run_command({"--help"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("Train and use a model:\n  train "));
  for (const cli::Verb& verb : cli::verbs()) {
    EXPECT_THAT(ran.out, HasSubstr(std::string(verb.example)));
    EXPECT_THAT(std::string(verb.example), ::testing::StartsWith("fovea " + std::string(verb.name) + " "));
    EXPECT_THAT(ran.out, HasSubstr("\n  " + std::string(verb.name) + " "));
    EXPECT_THAT(ran.out, HasSubstr(std::string(verb.summary)));
  }
  EXPECT_EQ(run_command({"-h"}).out, ran.out);
}

TEST(Command, EveryVerbHasHelpWithAnExample) {
  for (const cli::Verb& verb : cli::verbs()) {
    const std::string name(verb.name);
    const Ran ran = run_command({name, "--help"});
    EXPECT_EQ(ran.code, 0) << name << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("Usage: fovea " + name));
    EXPECT_THAT(ran.out, HasSubstr("Example:\n  fovea " + name));
    for (const char* noise : {"Needs:", "Excludes:", " INT", " in ["})
      EXPECT_THAT(ran.out, ::testing::Not(HasSubstr(noise))) << name;
    EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("--output"))) << name;
    EXPECT_EQ(run_command({"help", name}).out, ran.out);
  }
}

TEST(Command, VersionIsOneLine) {
  const Ran ran = run_command({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, MatchesRegex("fovea [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Command, WithoutAVerbItShowsHelpAsAnError) {
  const Ran ran = run_command({});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, run_command({"--help"}).out);
}

TEST(Command, AnUnknownVerbNamesTheNearest) {
  const Ran ran = run_command({"benhc"});
  expect_complaint(ran, 2);
  EXPECT_EQ(ran.err, "[fovea] 'benhc' is not a verb: did you mean 'bench'? fovea --help lists them all\n");
  EXPECT_EQ(run_command({"summarize"}).err,
            "[fovea] 'summarize' is not a verb; fovea --help lists them all\n");
  EXPECT_EQ(run_command({"help"}).out, run_command({"--help"}).out);
  expect_complaint(run_command({""}), 2);
  expect_complaint(run_command({"two\nlines"}), 2);
  expect_complaint(run_command({std::string(100'000, 'x')}), 2);
}

TEST(Command, WrongUsageIsOneLineWithAHint) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"bench", "--no-such-flag"},
                                             {"bench", "no-such-group"},
                                             {"bench", "--rounds", "many"},
                                             {"bench", "--rounds", "0"},
                                             {"bench", "--threads", "-1"},
                                             {"bench", "--threads", "99999999999999999999"},
                                             {"bench", "--filter", "no\nsuch\ncase"},
                                             {"bench", "attention", "attention"}}) {
    SCOPED_TRACE(wrong.back());
    const Ran ran = run_command(wrong);
    expect_complaint(ran, 2);
    EXPECT_THAT(ran.err, StartsWith("[bench] "));
    EXPECT_THAT(ran.err, HasSubstr("fovea bench --help"));
  }
}

TEST(Command, AnErrorIsOneLineAndExit1) {
  const Ran ran = run_command({"bench"}, {"FOVEA_SIMD=avx9"});
  expect_complaint(ran, 1);
  EXPECT_EQ(ran.err, "[simd] FOVEA_SIMD is \"avx9\": expected portable, sse4, avx2 or avx512\n");
}

TEST(Command, AReaderWhoLeavesEarlyIsNoFailure) {
  const Ran ran = run_command({"--help"}, {}, Stdout::kClosedPipe);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
}

TEST(Command, AFullDiskIsAFailure) {
  const Ran ran = run_command({"--help"}, {}, Stdout::kFullDisk);
  expect_complaint(ran, 1);
  EXPECT_EQ(ran.err, "[output] standard output cannot be written: No space left on device\n");
}

}  // namespace
}  // namespace fovea::testing
