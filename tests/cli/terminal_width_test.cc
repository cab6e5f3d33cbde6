// Nothing that the command writes to a terminal is wider than the terminal.
#include <gmock/gmock.h>

#include "fovea/cli/help_text.h"
#include "fovea/cli/verbs.h"
#include "fovea/models/transformer_options.h"
#include "tests/cli/run_command.h"
#include "tests/cli/run_in_terminal.h"
#include "tests/temporary_directory.h"
#include "tests/untrained_model.h"

namespace fovea::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

const Words kSources = {"the animal did not cross the street because it was too tired .", "나는 학생 이다 ."};
const std::string kLong =
    "the animal did not cross the street because it was too tired . 나는 학생 이다 . the street did not "
    "cross the "
    "animal because 나는 was too tired and so on and on and on and on and on until the very end of a "
    "sentence "
    "that is longer than any terminal is wide , and then it does not even stop but goes on for some more "
    "words "
    "until it does stop for good and for ever and ever and ever , which is now , or nearly so , and here it "
    "is .";

class TerminalWidth : public ::testing::TestWithParam<int> {
 protected:
  std::string rnn() {
    write_untrained(folder_ / "rnn", small_rnn_config(), kSources, kSources);
    return folder_ / "rnn";
  }
  std::string transformer() {
    models::TransformerOptions o;
    o.dim_model = 16;
    o.heads = 8;
    o.dim_ffn = 16;
    o.enc_depth = o.dec_depth = 2;
    write_untrained(folder_ / "transformer", to_json(o), kSources, kSources);
    return folder_ / "transformer";
  }

  // Runs it in a terminal of the width that is tested.
  Screen shown(const Words& arguments) const {
    Screen screen = run_in_terminal(GetParam(), arguments);
    EXPECT_EQ(screen.code, 0) << screen.bytes;
    for (const std::string& line : screen.lines) EXPECT_LE(look::width(line), GetParam()) << line;
    return screen;
  }

  TemporaryDirectory folder_;
};
INSTANTIATE_TEST_SUITE_P(Columns, TerminalWidth, ::testing::Values(40, 80, 200));

TEST_P(TerminalWidth, HoldsAMapAndItsTranslation) {
  for (const std::string& sentence : {kSources[0], kLong}) {
    const Screen screen = shown({"look", "-m", rnn(), sentence, "--target", sentence});
    int rows = 0;  // of the second token, one in each block
    for (const std::string& line : screen.lines) rows += line.starts_with("animal ");
    EXPECT_GE(rows, sentence == kLong && GetParam() < 200 ? 2 : 1);
  }
}

TEST_P(TerminalWidth, HoldsEveryHeadAndTheRowsOfAToken) {
  const std::string model = transformer();
  for (const std::string& sentence : {kSources[0], kLong}) {
    shown({"look", "-m", model, sentence, "--target", sentence});
    const Screen screen = shown(
        {"look", "-m", model, sentence, "--target", sentence, "--token", "tired@1", "--attention", "cross"});
    EXPECT_THAT(screen.lines, Contains(StartsWith("layer head │")));
  }
}

// The bar is written over, which works on one line alone; a full line would make some terminals begin the next.
TEST_P(TerminalWidth, HoldsTheProgressOfTraining) {
  const Screen screen =
      run_in_terminal(GetParam(), {"train", "--corpus", "copy", "--corpus-size", "300", "--dim-emb", "8",
                                   "--dim-rnn", "8", "--after", "40u", "--threads", "1", "--mini-batch-words",
                                   "100", "--out", folder_ / "run"});
  EXPECT_EQ(screen.code, 0) << screen.bytes;
  int bars = 0;
  for (const std::string& line : screen.lines) {
    const bool bar = line.find("cost ") != std::string::npos;
    bars += bar;
    EXPECT_LE(look::width(line), GetParam() - (bar ? 1 : 0)) << line;
  }
  EXPECT_GT(bars, 0);
}

// Examples are commands to be copied, and stay in one piece.
TEST_P(TerminalWidth, HoldsTheHelpOfEveryVerb) {
  Words names = {""};
  for (const cli::Verb& verb : cli::verbs()) names.emplace_back(verb.name);
  for (const std::string& name : names) {
    const Screen screen = run_in_terminal(GetParam(), name.empty() ? Words{"--help"} : Words{name, "--help"});
    EXPECT_EQ(screen.code, 0) << name;
    for (const std::string& line : screen.lines) {
      if (line.starts_with("Example:")) break;
      EXPECT_LE(look::width(line), GetParam()) << line;
    }
  }
}

TEST_P(TerminalWidth, HoldsAComplaint) {
  const Screen screen = run_in_terminal(GetParam(), {"look", "-m", "no/such/directory", kSources[0]});
  EXPECT_EQ(screen.code, 1);
  EXPECT_LE(screen.widest(), GetParam()) << screen.bytes;
}

TEST(Help, BreaksBetweenWordsAndKeepsItsColumns) {
  const std::string help =
      "Usage: fovea x [OPTIONS]\n\n  --name TEXT           says what it is called by those who know it\n"
      "Example:\n  fovea x --name is longer than that\n";
  EXPECT_EQ(cli::folded_help(help, 100), help);
  EXPECT_EQ(cli::folded_help(help, 50),
            "Usage: fovea x [OPTIONS]\n\n"
            "  --name TEXT           says what it is called by\n"
            "                        those who know it\n"
            "Example:\n  fovea x --name is longer than that\n");
  EXPECT_EQ(cli::folded_help(help, 30),
            "Usage: fovea x [OPTIONS]\n\n"
            "  --name TEXT\n"
            "      says what it is called\n"
            "      by those who know it\n"
            "Example:\n  fovea x --name is longer than that\n");
}

TEST(Width, OfAPipeIsThatOfTheVariableColumns) {
  const TemporaryDirectory folder;
  write_untrained(folder / "rnn", small_rnn_config(), kSources, kSources);
  const auto widest = [&](const Words& environment) {
    const Ran ran = run_command({"look", "-m", folder / "rnn", kLong, "--target", "나는"}, environment);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Screen{ran.out, written_lines(ran.out)}.widest();
  };
  EXPECT_LE(widest({"COLUMNS=50"}), 50);
  EXPECT_GT(widest({"COLUMNS=300"}), 200);
  for (const char* none : {"COLUMNS=", "COLUMNS=0", "COLUMNS=wide", "COLUMNS=-7"}) {
    EXPECT_LE(widest({none}), 100) << none;
    EXPECT_GT(widest({none}), 80) << none;
  }
}

}  // namespace
}  // namespace fovea::testing
