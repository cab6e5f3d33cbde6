// What `fovea train` does with what it was not told.
#include <gmock/gmock.h>

#include <filesystem>
#include <utility>

#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A model that trains in the blink of an eye.
Arguments tiny(const std::string& out) {
  return {"train", "--corpus",  "copy", "--corpus-size", "300", "--dim-emb",
          "8",     "--dim-rnn", "8",    "--after",       "12u", "--valid-freq",
          "6u",    "--threads", "1",    "--out",         out};
}

std::string weights(const std::string& dir) { return read_file(dir + "/model.safetensors"); }

// 300 pairs of raw text.
std::pair<std::string, std::string> pairs_in(const TemporaryDirectory& folder) {
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i * 7919 % 1000);
    source += "I've seen " + number + " dogs, not cats.\n";
    target += "J'ai vu " + number + " chiens, pas des chats.\n";
  }
  write_atomically(folder / "a.en", source);
  write_atomically(folder / "a.fr", target);
  return {folder / "a.en", folder / "a.fr"};
}

TEST(TrainDefaults, FilesAloneAreEnoughAndWhatWasChosenIsSaidAndKept) {
  const TemporaryDirectory folder;
  const auto [source, target] = pairs_in(folder);
  const Arguments command = {
      "train", "--train-sets", source, target,      "--out", folder / "run", "--dim-emb",
      "8",     "--dim-rnn",    "8",    "--threads", "1"};
  const Ran dumped = run_command(command + Arguments{"--after", "4u", "--dump-config"});
  ASSERT_EQ(dumped.code, 0) << dumped.err;
  for (const char* line : {"tokenizer: spm", "joint-vocab: true", "valid-split: 0.05",
                           "mini-batch-words: 400", "dim-emb: 8", "lr-schedule: cosine"})
    EXPECT_THAT(dumped.out, HasSubstr(std::string("\n") + line + "\n"));
  const Ran first = run_command(command + Arguments{"--after", "4u"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("fitted to 300 pairs"));
  EXPECT_THAT(first.err, HasSubstr("held out of the training data (--valid-split 0.05)"));
  EXPECT_THAT(first.err, HasSubstr("try it: fovea translate -m " + (folder / "run")));
  EXPECT_TRUE(fs::exists(folder / "run/best"));
  // A run that goes on keeps what it began with, also where it is told to end at another time.
  const Ran second = run_command({"train", "--out", folder / "run", "--after", "8u"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.err, AllOf(Not(HasSubstr("fitted to")), HasSubstr("goes on from update 4")));
  // Settings that are dumped give the same run.
  write_atomically(folder / "run.yml", dumped.out);
  ASSERT_EQ(run_command({"train", "--config", folder / "run.yml", "--out", folder / "same"}).code, 0);
  ASSERT_EQ(run_command(command + Arguments{"--after", "4u", "--out", folder / "again"}).code, 0);
  EXPECT_EQ(weights(folder / "same/last"), weights(folder / "again/last"));
}

TEST(TrainDefaults, CrossEntropyChoosesTheBest) {
  const TemporaryDirectory folder;
  const Ran ran =
      run_command({"train", "--corpus", "copy", "--corpus-size", "300", "--dim-emb", "8", "--dim-rnn", "8",
                   "--after", "4u", "--valid-freq", "2u", "--threads", "1", "--out", folder / "run"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_LT(ran.err.find("cross-entropy : "), ran.err.find("bleu : "));
  EXPECT_THAT(read_file(folder / "run/last/state.json"),
              HasSubstr("\"valid-metrics\": [\n   \"cross-entropy\""));
}

TEST(TrainDefaults, ASeedThatIsDrawnIsSaidAndStays) {
  const TemporaryDirectory folder;
  const Ran ran = run_command(tiny(folder / "run") + Arguments{"--seed", "-1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const size_t at = ran.err.find("--seed ");
  ASSERT_NE(at, std::string::npos) << ran.err;
  const std::string seed = ran.err.substr(at + 7, ran.err.find(' ', at + 7) - at - 7);
  EXPECT_THAT(ran.err, HasSubstr("--seed " + seed + " was drawn"));
  ASSERT_EQ(run_command(tiny(folder / "same") + Arguments{"--seed", seed}).code, 0);
  EXPECT_EQ(weights(folder / "run/last"), weights(folder / "same/last"));
  const Ran on = run_command(tiny(folder / "run") + Arguments{"--seed", "-1", "--after", "14u"});
  EXPECT_EQ(on.code, 0) << on.err;
  EXPECT_THAT(on.err, Not(HasSubstr("was drawn")));
}

TEST(TrainDefaults, ARunThatEndsWithinItsWarmupSaysSo) {
  const TemporaryDirectory folder;
  EXPECT_THAT(
      run_command(tiny(folder / "run") + Arguments{"--lr-schedule", "inv-sqrt", "--lr-warmup", "50u"}).err,
      HasSubstr("--after 12u is 12 updates, and the warm-up takes 50u"));
  EXPECT_THAT(run_command(tiny(folder / "other")).err, Not(HasSubstr("the warm-up takes")));
}

}  // namespace
}  // namespace fovea::testing
