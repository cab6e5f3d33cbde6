// Models that look at pictures, as a user trains and runs them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/base/file.h"
#include "fovea/data/pictures/prepare.h"
#include "fovea/data/pictures/read.h"
#include "fovea/tensor/npy.h"
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

TEST_F(PictureModels, ALabellerIsEvaluatedAsItClassifies) {
  ASSERT_EQ(train(tiny_cnn("15u"), "run").code, 0);
  ASSERT_EQ(run_command(
                {"corpus", "digits", "--out", folder_ / "c", "--train", "0", "--valid", "0", "--test", "60"})
                .code,
            0);
  const std::string model = folder_ / "run", pictures = folder_ / "c/test", table = pictures + "/labels.tsv";
  const Ran said = run_command({"classify", "-m", model, pictures, "--top", "1"});
  ASSERT_EQ(said.code, 0) << said.err;
  std::istringstream labels(read_file(table)), found(said.out);
  int right = 0, all = 0;
  for (std::string label, line; std::getline(labels, label) && std::getline(found, line); ++all)
    right += line.find("\t" + label.substr(label.find('\t') + 1) + "\t") != std::string::npos;
  ASSERT_EQ(all, 60);
  const auto accuracy = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"eval", "-m", model, "--json"});
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return nlohmann::json::parse(ran.out)["accuracy"].get<double>();
  };
  EXPECT_NEAR(accuracy({"--pictures", pictures, "--labels", table}), 100.0 * right / all, 1e-9);
  EXPECT_NEAR(accuracy({"--corpus", "digits", "--size", "60"}), 100.0 * right / all, 1e-9)
      << "the same pictures";

  const auto usage = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"eval", "-m", model});
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_THAT(usage({}), HasSubstr("give -m one source of pictures"));
  EXPECT_THAT(usage({"--corpus", "digits", "--images", "x"}), HasSubstr("one source of pictures"));
  EXPECT_THAT(usage({"--corpus", "digts"}), HasSubstr("there are digits"));
  EXPECT_THAT(usage({"--corpus", "digits", "--metric", "bleu"}),
              HasSubstr("--metric bleu is not for labels"));
  EXPECT_THAT(usage({"--corpus", "digits", "--metric", "distance"}), HasSubstr("needs an eye that moves"));
  EXPECT_THAT(usage({"--pictures", pictures}), HasSubstr("say what is on them"));
  EXPECT_THAT(usage({"--corpus", "digits", "--hyp", "x"}), HasSubstr("leave out --hyp"));
  EXPECT_EQ(run_command({"eval", "-m", model, "--corpus", "scenes", "--size", "2"}).code, 1);
}

TEST_F(PictureModels, AVitIsTrainedIntoADirectoryOfHuggingFaceAndComputesTheSameFromPixels) {
  const Ran trained = train(
      {"--model", "vit", "--corpus", "digits", "--corpus-size", "60", "--patch-size", "14", "--dim-model",
       "16", "--dim-ffn", "16", "--enc-depth", "1", "--mini-batch", "20", "--after", "4u"},
      "vit");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string model = folder_ / "vit/last";
  const nlohmann::json config = nlohmann::json::parse(read_file(model + "/config.json"));
  EXPECT_EQ(config["architectures"], nlohmann::json{"ViTForImageClassification"});
  EXPECT_EQ(config["image_size"], 28);
  EXPECT_EQ(nlohmann::json::parse(read_file(model + "/preprocessor_config.json"))["image_processor_type"],
            "ViTImageProcessor");
  ASSERT_EQ(
      run_command({"corpus", "digits", "--out", folder_ / "c", "--train", "1", "--valid", "1", "--test", "3"})
          .code,
      0);
  const std::string picture = folder_ / "c/test/000000.png", x = folder_ / "x.npy", y = folder_ / "y.npy",
                    pixels = folder_ / "pixels.npy";
  ASSERT_EQ(run_command({"logits", "-m", model, "--picture", picture, "--out", x}).code, 0);
  const Tensor logits = read_npy(x);
  EXPECT_EQ(logits.shape(), (Shape{1, 10}));
  const data::Picture read = data::read_picture(picture);
  write_npy(
      pixels,
      data::normalised(read, {.mean = {0.5f, 0.5f, 0.5f}, .std = {0.5f, 0.5f, 0.5f}}).reshape({1, 28, 28}));
  for (const std::string& converted : {model, folder_ / "hf", folder_ / "int8"}) {
    if (converted != model) {
      const bool hf = converted.ends_with("hf");
      ASSERT_EQ(run_command({"convert", "--from", model, "--to", converted, hf ? "--format" : "--quantize",
                             hf ? "hf" : "int8"})
                    .code,
                0);
    }
    const Ran ran = run_command({"logits", "-m", converted, "--pixels", pixels, "--out", y});
    ASSERT_EQ(ran.code, 0) << ran.err;
    for (int64_t i = 0; i < 10; ++i)
      EXPECT_NEAR(read_npy(y).data<float>()[i], logits.data<float>()[i],
                  converted.ends_with("int8") ? 0.05 : 1e-5);
  }
  const Ran vectors = run_command({"embed", "-m", model, "--pictures", folder_ / "c/test", "--out", y});
  ASSERT_EQ(vectors.code, 0) << vectors.err;
  EXPECT_EQ(read_npy(y).shape(), (Shape{3, 16}));
  const Ran lines = run_command({"embed", "-m", model, "--pictures", picture, picture});
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 2);
  const nlohmann::json first = nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n')));
  EXPECT_EQ(first["file"], picture);
  EXPECT_EQ(first["embedding"].size(), 16u);

  const auto error = [](const std::vector<std::string>& arguments, int code) {
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, code) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(error({"embed", "-m", model}, 2), HasSubstr("looks at pictures: give them by --pictures"));
  EXPECT_THAT(error({"logits", "-m", model, "--out", y}, 2),
              HasSubstr("give one of --ids, --picture and --pixels"));
  EXPECT_THAT(error({"logits", "-m", model, "--ids", "1", "--out", y}, 1), HasSubstr("reads no text"));
  EXPECT_THAT(error({"match", "-m", model, "--labels", picture, picture}, 1),
              HasSubstr("expected one that compares texts and pictures"));
  write_npy(pixels, Tensor::zeros({1, 28, 27}));
  EXPECT_THAT(error({"logits", "-m", model, "--pixels", pixels, "--out", y}, 1),
              HasSubstr("is f32 [1, 28, 27]: this model reads f32 [1, 28, 28]"));
  EXPECT_THAT(error({"train", "--model", "clip", "--out", folder_ / "clip"}, 2), HasSubstr("clip"));
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
    const std::string shown = folder_ / (name + ".json");
    const Ran look = run_command(
        {"look", "-m", folder_ / name, folder_ / (name + "-c/train/000000.png"), "--json", shown});
    if (name == "rowrnn") {
      EXPECT_EQ(look.code, 1);
      EXPECT_THAT(look.err, HasSubstr("it has no attention to look at"));
      continue;
    }
    ASSERT_EQ(look.code, 0) << look.err;
    const nlohmann::json seen = nlohmann::json::parse(read_file(shown));
    if (name != "glimpse") continue;
    const Ran eval =
        run_command({"eval", "-m", folder_ / name, "--corpus", "digits", "--cluttered", "--size", "20"});
    EXPECT_THAT(eval.out, HasSubstr("distance = ")) << eval.err;
    ASSERT_EQ(seen["glimpses"].size(), 3u);
    EXPECT_EQ(seen["glimpses"][0]["x"], 14.0) << "the middle of 28 pixels, seen as 60";
    EXPECT_NEAR(seen["glimpses"][0]["sizes"][1].get<double>(),
                2 * seen["glimpses"][0]["sizes"][0].get<double>(), 1e-4);
    EXPECT_THAT(
        run_command({"look", "-m", folder_ / name, folder_ / (name + "-c/train/000000.png"), "--rollout"})
            .err,
        HasSubstr("an eye that moves has one path"));
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
