// Models that look at pictures, as a user trains and runs them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "fovea/base/file.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PictureModels : public ::testing::Test {
 protected:
  Ran train(std::vector<std::string> arguments, const std::string& out) {
    arguments.insert(arguments.begin(), {"train", "--out", folder_ / out, "--threads", "1"});
    return run_command(arguments);
  }
  static std::vector<std::string> tiny_cnn(const std::string& after) {
    return {"--model",         "cnn", "--corpus",     "digits", "--corpus-size", "200",
            "--conv-channels", "4",   "--conv-depth", "1",      "--mini-batch",  "20",
            "--after",         after, "--lr-warmup",  "5u",     "--lr-length",   "30u",
            "--shift",         "1",   "--valid-freq", "15u",    "--dropout",     "0.1"};
  }
  std::string weights(const std::string& run) {
    return read_file(folder_ / (run + "/last/model.safetensors"));
  }

  TemporaryDirectory folder_;
};

TEST_F(PictureModels, ACnnIsTrainedStoppedAndGoesOnToTheSameBits) {
  const Ran whole = train(tiny_cnn("30u"), "whole");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("training on 200 pictures; validation on 500"));
  EXPECT_THAT(whole.err, HasSubstr("accuracy"));
  EXPECT_THAT(whole.err, HasSubstr("try it: fovea classify -m"));
  ASSERT_EQ(train(tiny_cnn("12u"), "parts").code, 0);
  const Ran rest = train(tiny_cnn("30u"), "parts");
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("goes on from update 12"));
  EXPECT_EQ(weights("parts"), weights("whole"));

  const std::string model = folder_ / "whole";
  ASSERT_EQ(
      run_command({"corpus", "digits", "--out", folder_ / "c", "--train", "1", "--valid", "1", "--test", "3"})
          .code,
      0);
  const std::string picture = folder_ / "c/test/000000.png";
  const Ran said = run_command({"classify", "-m", model, picture, "--top", "3"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith(picture + "\t"));
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\t'), 6);
  const Ran json = run_command({"classify", "-m", model, folder_ / "c/test", "--json", "--all"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 3);
  const nlohmann::json first = nlohmann::json::parse(json.out.substr(0, json.out.find('\n')));
  ASSERT_EQ(first["labels"].size(), 10u);
  double sum = 0;
  for (const nlohmann::json& one : first["labels"]) sum += one["probability"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);

  const Ran info = run_command({"info", "-m", model});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("cnn, looks at pictures, and labels them: fovea classify"));
  EXPECT_THAT(run_command({"classify", "-m", model}).err, HasSubstr("labels pictures: give files"));
  EXPECT_EQ(run_command({"classify", "-m", model}).code, 2);
  const Ran missing = run_command({"classify", "-m", model, folder_ / "none.png"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("none.png"));
  for (const char* verb : {"translate", "fill", "embed", "tokenize"}) {
    const Ran other = run_command({verb, "-m", model});
    EXPECT_NE(other.code, 0) << verb;
    EXPECT_LT(other.code, 128) << verb;
  }
}

// Every other model that labels pictures, by the same words.
TEST_F(PictureModels, EveryLabellerIsTrainedStoppedAndGoesOnToTheSameBits) {
  const std::vector<std::vector<std::string>> models = {
      {"vit", "--patch-size", "7", "--dim-model", "16", "--dim-ffn", "32", "--heads", "2", "--enc-depth",
       "1"},
      {"rowrnn", "--dim-rnn", "12", "--cell", "gru"},
      {"glimpse", "--cluttered", "--glimpses", "3", "--glimpse-size", "8", "--glimpse-scales", "2",
       "--dim-rnn", "16", "--dim-glimpse", "8", "--valid-metrics", "accuracy", "distance"},
  };
  for (const std::vector<std::string>& model : models) {
    const std::string& name = model.front();
    const auto arguments = [&](const std::string& after) {
      std::vector<std::string> all = {"--model",      name,  "--corpus",  "digits", "--corpus-size", "100",
                                      "--mini-batch", "20",  "--after",   after,    "--lr-warmup",   "5u",
                                      "--lr-length",  "12u", "--dropout", "0.1",    "--valid-freq",  "12u"};
      all.insert(all.end(), model.begin() + 1, model.end());
      return all;
    };
    const Ran whole = train(arguments("12u"), name);
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(whole.err, HasSubstr("accuracy"));
    ASSERT_EQ(train(arguments("7u"), name + "-parts").code, 0);
    const Ran rest = train(arguments("12u"), name + "-parts");
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr("goes on from update 7"));
    EXPECT_TRUE(weights(name + "-parts") == weights(name)) << name;
    ASSERT_EQ(run_command({"corpus", "digits", "--out", folder_ / (name + "-c"), "--train", "1", "--valid",
                           "0", "--test", "0"})
                  .code,
              0);
    const Ran said =
        run_command({"classify", "-m", folder_ / name, folder_ / (name + "-c/train"), "--all", "--json"});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(nlohmann::json::parse(said.out)["labels"].size(), 10u);
    EXPECT_THAT(run_command({"info", "-m", folder_ / name}).out,
                HasSubstr(name + ", looks at pictures, and labels them"));
  }
}

TEST_F(PictureModels, WrongDataIsOneLine) {
  ASSERT_EQ(
      run_command({"corpus", "digits", "--out", folder_ / "c", "--train", "9", "--valid", "0", "--test", "0"})
          .code,
      0);
  const std::string directory = folder_ / "c/train", table = folder_ / "c/train/labels.tsv";
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--model", "cnn", "--after", "1u"});
    const Ran ran = train(arguments, "run");
    EXPECT_NE(ran.code, 0);
    return ran.err;
  };
  EXPECT_THAT(error({}), HasSubstr("there is nothing to learn from"));
  EXPECT_THAT(error({"--corpus", "copy"}), HasSubstr("--corpus copy has no pictures"));
  EXPECT_THAT(error({"--corpus", "scenes"}), HasSubstr("has captions, and a cnn learns labels"));
  EXPECT_THAT(error({"--corpus", "digits", "--labels", table}), HasSubstr("a corpus has its own"));
  EXPECT_THAT(error({"--pictures", directory}), HasSubstr("there is no --labels"));
  EXPECT_THAT(error({"--pictures", folder_ / "none", "--labels", table}), HasSubstr("none: No such file"));
  EXPECT_THAT(error({"--corpus", "digits", "--mini-batch", "0"}), HasSubstr("--mini-batch 0"));
  EXPECT_THAT(error({"--corpus", "digits", "--valid-metrics", "bleu"}), HasSubstr("not measured of a cnn"));
  EXPECT_THAT(error({"--corpus", "digits", "--cell", "lstm"}), HasSubstr("--cell belongs to"));
  EXPECT_THAT(error({"--corpus", "digits", "--train-sets", "a"}), HasSubstr("train-sets"));
  write_atomically(folder_ / "other.tsv", "000000.png\tnever\n");
  EXPECT_THAT(error({"--pictures", directory, "--labels", table, "--valid-labels", folder_ / "other.tsv"}),
              HasSubstr("the label 'never' is none that training has seen"));
  EXPECT_THAT(error({"--corpus", "digits", "--valid-metrics", "distance"}),
              HasSubstr("not measured of a cnn"));
  EXPECT_THAT(
      train({"--model", "glimpse", "--pictures", directory, "--labels", table, "--valid-metrics", "distance"},
            "run")
          .err,
      HasSubstr("--valid-metrics distance is about --corpus digits"));
  EXPECT_THAT(train({"--model", "rnn", "--corpus", "digits"}, "run").err, HasSubstr("digits"));
}

}  // namespace
}  // namespace fovea::testing
