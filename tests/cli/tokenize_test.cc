// fovea tokenize as a user runs it.
#include <gmock/gmock.h>

#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;

class TokenizeVerb : public ::testing::Test {
 protected:
  TemporaryDirectory folder_;
  TokenizeVerb() {
    write_atomically(folder_ / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\ncat\n##s\nsat\n.\n");
  }
  Ran run(std::vector<std::string> arguments, std::string_view input) const {
    arguments.insert(arguments.begin(), {"tokenize", "-m", folder_.path()});
    return run_command(arguments, {}, Stdout::kKept, input);
  }
};

TEST_F(TokenizeVerb, WritesPiecesOrIds) {
  const std::string text = "The cats sat.\n\nthe Ж [MASK]\n";
  const Ran pieces = run({}, text);
  EXPECT_EQ(pieces.code, 0) << pieces.err;
  EXPECT_EQ(pieces.out, "the cat ##s sat .\n\nthe Ж [MASK]\n");
  EXPECT_EQ(run({"--ids"}, text).out, "2 5 6 7 8 9 3\n2 3\n2 5 1 4 3\n");
  EXPECT_EQ(run({"--ids", "--no-specials"}, text).out, "5 6 7 8 9\n\n5 1 4\n");
}

TEST_F(TokenizeVerb, WritesTextOfIds) {
  EXPECT_EQ(run({"--decode"}, "2 5 6 7 8 9 3\n\n").out, "the cats sat.\n\n");
  const Ran word = run({"--decode"}, "5\n6 x\n");
  EXPECT_EQ(word.code, 1);
  EXPECT_EQ(word.out, "the\n");
  EXPECT_EQ(word.err, "[tokenize] line 2: 'x' is no id: --decode expects numbers with blanks between them\n");
  EXPECT_EQ(run({"--decode"}, "77\n").err, "[tokenizer] id 77: expected 0 to 9\n");
}

TEST_F(TokenizeVerb, ReadsModelsOfFoveaToo) {
  const std::string vocab = "<pad>\n<unk>\n<sos>\n<eos>\na\n";
  TemporaryDirectory model;
  write_atomically(model / "config.json", R"({"tokenizer": {"source": "word", "target": "char"}})");
  write_atomically(model / "source.vocab", vocab + "man\n");
  write_atomically(model / "target.vocab", vocab + "m\nn\n");
  const auto run_model = [&](const std::string& side) {
    return run_command({"tokenize", "-m", model.path(), "--ids", "--side", side}, {}, Stdout::kKept,
                       "a man\n")
        .out;
  };
  EXPECT_EQ(run_model("source"), "4 5\n");
  EXPECT_EQ(run_model("target"), "4 1 5 4 6\n");
}

TEST_F(TokenizeVerb, SaysWhatIsWrong) {
  EXPECT_EQ(run_command({"tokenize"}).code, 2);
  EXPECT_EQ(run({"--side", "left"}, "").code, 2);
  EXPECT_EQ(run({"--no-specials"}, "").code, 2);
  EXPECT_THAT(run_command({"tokenize", "-m", "/nowhere"}).err,
              HasSubstr("[model] /nowhere: No such file or directory"));
  EXPECT_EQ(run({}, "not \xFF\n").code, 1);
}

TEST_F(TokenizeVerb, HelpHasAnExample) {
  const Ran ran = run_command({"tokenize", "--help"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("fovea tokenize -m bert-base-uncased --ids < test.en"));
}

}  // namespace
}  // namespace fovea::testing
