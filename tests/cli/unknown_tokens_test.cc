// What a model does not know is said once, by every verb that reads text.
#include <gmock/gmock.h>

#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/untrained_model.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(UnknownTokens, OfAllLinesAreCountedByTranslate) {
  const TemporaryDirectory folder;
  write_untrained(folder / "rnn", small_rnn_config(), {"I am a student ."}, {"나는 학생 이다 ."});
  const auto said = [&](const std::string& input) {
    return run_command({"translate", "-m", folder / "rnn"}, {}, Stdout::kKept, input).err;
  };
  EXPECT_THAT(
      said("I am a unicorn .\nI see a unicorn .\n"),
      HasSubstr("[translate] 3 of 10 source tokens are unknown to this model's vocabulary: unicorn, see\n"));
  EXPECT_THAT(said("a b c d e f g h i j k\n"), HasSubstr("10 of 11 source tokens are unknown to this model's "
                                                         "vocabulary: b, c, d, e, f, g, h, i and others\n"));
  EXPECT_THAT(said("I am a student .\n"), Not(HasSubstr("unknown")));
}

TEST(UnknownTokens, AreSaidAndMarkedByModelsThatReadText) {
  const TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += i % 2 ? "the cat sees the dog .\ta\n" : "the dog sees the cat .\tb\n";
  write_atomically(folder / "labels.tsv", text);
  const auto train = [&](const std::string& task, const std::string& file) {
    const Ran ran = run_command({"train",        "--model",     "bert",        "--task",    task,
                                 "--train-sets", file,          "--tokenizer", "wordpiece", "--vocab-size",
                                 "60",           "--enc-depth", "1",           "--heads",   "2",
                                 "--dim-model",  "16",          "--dim-ffn",   "16",        "--after",
                                 "2u",           "--threads",   "1",           "--out",     folder / task});
    ASSERT_EQ(ran.code, 0) << ran.err;
  };
  train("labels", folder / "labels.tsv");
  std::string plain;
  for (int i = 0; i < 40; ++i) plain += "the cat sees the dog .\n";
  write_atomically(folder / "words.txt", plain);
  train("words", folder / "words.txt");
  const std::string said = "2 of 6 tokens are unknown to this model's vocabulary: 유니콘, 용\n";
  const std::string line = "the 유니콘 sees the 용 .\n";
  for (const std::string verb : {"embed", "classify"})
    EXPECT_EQ(run_command({verb, "-m", folder / "labels"}, {}, Stdout::kKept, line).err,
              fmt::format("[{}] {}", verb, said));
  EXPECT_EQ(run_command({"fill", "-m", folder / "words", "the 유니콘 [MASK] the 용 ."}).err,
            "[fill] " + said);
  const Ran looked = run_command({"look", "-m", folder / "words", line, "--token", "용"});
  EXPECT_EQ(looked.err, "[look] " + said);
  EXPECT_THAT(looked.out, HasSubstr("유니콘<unk>"));
}

}  // namespace
}  // namespace fovea::testing
