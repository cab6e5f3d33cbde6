// A model that says what it sees, as a user trains and runs it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Captions : public ::testing::Test {
 protected:
  Ran train(const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> words = {"train",
                                      "--model",
                                      "captioner",
                                      "--out",
                                      folder_ / out,
                                      "--threads",
                                      "1",
                                      "--corpus",
                                      "scenes",
                                      "--corpus-size",
                                      "100",
                                      "--dim-rnn",
                                      "16",
                                      "--dim-emb",
                                      "8",
                                      "--conv-channels",
                                      "4",
                                      "--conv-depth",
                                      "1",
                                      "--mini-batch",
                                      "10",
                                      "--lr-warmup",
                                      "3u",
                                      "--lr-length",
                                      "20u",
                                      "--valid-freq",
                                      "20u",
                                      "--valid-metrics",
                                      "cross-entropy",
                                      "meaning"};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words);
  }
  std::string weights(const std::string& run) {
    return read_file(folder_ / (run + "/last/model.safetensors"));
  }

  TemporaryDirectory folder_;
};

TEST_F(Captions, ACaptionerIsTrainedStoppedAndGoesOnToTheSameBits) {
  const Ran whole = train("whole", {"--after", "20u", "--dropout", "0.1"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("meaning"));
  EXPECT_THAT(whole.err, HasSubstr("try it: fovea caption -m"));
  ASSERT_EQ(train("parts", {"--after", "7u", "--dropout", "0.1"}).code, 0);
  ASSERT_EQ(train("parts", {"--after", "20u", "--dropout", "0.1"}).code, 0);
  EXPECT_EQ(weights("parts"), weights("whole"));

  const std::string model = folder_ / "whole";
  ASSERT_EQ(
      run_command({"corpus", "scenes", "--out", folder_ / "c", "--train", "1", "--valid", "1", "--test", "3"})
          .code,
      0);
  const std::string picture = folder_ / "c/test/000000.png";
  const Ran said = run_command({"caption", "-m", model, picture});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith(picture + "\t"));
  const Ran beam = run_command({"caption", "-m", model, picture, "--beam-size", "3", "--n-best", "--json"});
  ASSERT_EQ(beam.code, 0) << beam.err;
  const nlohmann::json one = nlohmann::json::parse(beam.out);
  EXPECT_EQ(one["captions"].size(), 3u);
  EXPECT_EQ(one["caption"], one["captions"][0]["caption"]);
  EXPECT_GE(one["captions"][0]["score"], one["captions"][1]["score"]);

  // Evaluating it is comparing its captions with the references.
  const Ran all = run_command({"caption", "-m", model, folder_ / "c/test"});
  std::istringstream references(read_file(folder_ / "c/test/captions.tsv")), captions(all.out);
  int right = 0, count = 0;
  for (std::string reference, caption;
       std::getline(references, reference) && std::getline(captions, caption) && count < 3; ++count)
    right += caption.substr(caption.find('\t')) == reference.substr(reference.find('\t'));
  const Ran eval = run_command({"eval", "-m", model, "--corpus", "scenes", "--size", "3", "--json"});
  ASSERT_EQ(eval.code, 0) << eval.err;
  const nlohmann::json figures = nlohmann::json::parse(eval.out);
  EXPECT_EQ(figures["pictures"], 3);
  EXPECT_NEAR(figures["exact"].get<double>(), 100.0 * right / 3, 1e-9);
  for (const char* name : {"meaning", "pointing", "variation"}) EXPECT_TRUE(figures.contains(name)) << name;
  const Ran table = run_command({"eval", "-m", model, "--pictures", folder_ / "c/test", "--captions",
                                 folder_ / "c/test/captions.tsv", "--metric", "meaning"});
  EXPECT_EQ(table.code, 2);
  EXPECT_THAT(table.err, HasSubstr("--metric meaning needs --corpus scenes"));

  EXPECT_THAT(run_command({"info", "-m", model}).out, HasSubstr("says what it sees: fovea caption"));
  for (const char* verb : {"translate", "generate", "score", "look", "embed", "classify"}) {
    const Ran other = run_command({verb, "-m", model}, {}, Stdout::kKept, "a b\n");
    EXPECT_NE(other.code, 0) << verb;
    EXPECT_THAT(other.err, Not(HasSubstr("unexpected"))) << verb;
  }
  const Ran missing = run_command({"caption", "-m", model, folder_ / "none.png"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("none.png"));
}

TEST_F(Captions, EveryWayToLookTrainsAndRuns) {
  ASSERT_EQ(
      run_command({"corpus", "scenes", "--out", folder_ / "c", "--train", "1", "--valid", "1", "--test", "1"})
          .code,
      0);
  int number = 0;
  for (const std::vector<std::string>& how : std::vector<std::vector<std::string>>{
           {"--attention", "bahdanau"},
           {"--attention", "luong", "--cell", "gru"},
           {"--input-feeding", "false"},
           {"--attention", "bottleneck"},
           {"--score", "general", "--heads", "2"},
           {"--doubly-stochastic", "1"},
           {"--weigh", "hard", "--soft-share", "0"},
           {"--weigh", "hard", "--estimator", "variational"},
           {"--weigh", "hard", "--estimator", "gumbel"},
           {"--weigh", "hard", "--estimator", "exact", "--soft-share", "0"}}) {
    const std::string out = "run" + std::to_string(number++);
    std::vector<std::string> more = {"--after", "4u", "--lr-warmup", "1u"};
    more.insert(more.end(), how.begin(), how.end());
    const Ran ran = train(out, more);
    ASSERT_EQ(ran.code, 0) << how[0] << " " << how[1] << ran.err;
    const Ran said = run_command({"caption", "-m", folder_ / out, folder_ / "c/test/000000.png"});
    EXPECT_EQ(said.code, 0) << how[0] << " " << how[1] << said.err;
  }
}

TEST_F(Captions, WrongDataIsOneLine) {
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"train", "--model", "captioner", "--after", "1u", "--out", folder_ / "run"});
    return run_command(arguments).err;
  };
  EXPECT_THAT(error({}), HasSubstr("there is nothing to learn from"));
  EXPECT_THAT(error({"--corpus", "digits"}), HasSubstr("has labels, and a captioner learns captions"));
  EXPECT_THAT(error({"--corpus", "scenes", "--labels", "a"}), HasSubstr("labels"));
  EXPECT_THAT(error({"--pictures", "a", "--captions", "b", "--valid-metrics", "meaning"}),
              HasSubstr("is about --corpus scenes"));
  EXPECT_THAT(error({"--corpus", "scenes", "--doubly-stochastic", "1", "--weigh", "hard"}),
              HasSubstr("soft"));
}

}  // namespace
}  // namespace fovea::testing
