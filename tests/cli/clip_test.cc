// CLIP as a user runs it: vectors of lines and pictures, and which text describes a picture.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "fovea/data/pictures/read.h"
#include "fovea/tensor/npy.h"
#include "tests/cli/run_command.h"
#include "tests/hf_picture_golden.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;

class ClipCommand : public ::testing::Test {
 protected:
  ClipCommand() : golden_(golden_named("clip")) {
    std::filesystem::create_directories(model_);
    golden_.write(model_);
    std::filesystem::create_directories(folder_ / "pictures");
    write_atomically(picture_, data::to_png(golden_.picture()));
    write_atomically(folder_ / "pictures/b.png", data::to_png(data::Picture(5, 9, 1, 77)));
    for (const nlohmann::json& line : golden_.lines) lines_ += line.get<std::string>() + "\n";
  }
  static void expect_close(const Tensor& got, const Tensor& want) {
    ASSERT_EQ(got.shape(), want.shape());
    for (int64_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got.data<float>()[i], want.data<float>()[i], 1e-4) << i;
  }

  TemporaryDirectory folder_;
  PictureGolden golden_;
  std::string model_ = folder_ / "clip", picture_ = folder_ / "pictures/a.png", out_ = folder_ / "x.npy",
              lines_;
};

TEST_F(ClipCommand, EmbedsLinesAndPictures) {
  ASSERT_EQ(run_command({"embed", "-m", model_, "--out", out_}, {}, Stdout::kKept, lines_).code, 0);
  expect_close(read_npy(out_), golden_.array("texts"));
  ASSERT_EQ(run_command({"embed", "-m", model_, "--pictures", picture_, "--out", out_}).code, 0);
  expect_close(read_npy(out_), golden_.array("features"));
  ASSERT_EQ(
      run_command({"embed", "-m", model_, "--pictures", picture_, folder_ / "pictures", "--out", out_}).code,
      0);
  const Tensor three = read_npy(out_);
  ASSERT_EQ(three.shape(), (Shape{3, 10}));
  EXPECT_EQ(three.slice(0, 1).values<float>(), three.slice(1, 2).values<float>());
}

TEST_F(ClipCommand, MatchesTextsAndPictures) {
  const std::string labels = folder_ / "labels.txt";
  write_atomically(labels, "a photo of a cat\na dog\nthe king's 2nd horse isn't here!\n");
  const Ran json = run_command({"match", "-m", model_, "--labels", labels, folder_ / "pictures", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 2);
  const nlohmann::json first = nlohmann::json::parse(json.out.substr(0, json.out.find('\n')));
  EXPECT_EQ(first["file"], picture_);
  // The golden has a fourth text, an empty one: of the three others the shares are the same.
  const Tensor all = golden_.array("match");
  const double sum = 1 - static_cast<double>(all.data<float>()[3]);
  ASSERT_EQ(first["labels"].size(), 3u);
  double last = 1;
  for (const nlohmann::json& one : first["labels"]) {
    const auto at =
        std::find(golden_.lines.begin(), golden_.lines.end(), one["label"]) - golden_.lines.begin();
    EXPECT_NEAR(one["probability"].get<double>(), static_cast<double>(all.data<float>()[at]) / sum, 1e-4);
    EXPECT_LE(one["probability"].get<double>(), last);
    last = one["probability"];
  }
  const Ran top = run_command({"match", "-m", model_, "--labels", labels, picture_, "--top", "1"});
  EXPECT_EQ(top.out, fmt::format("{}\t{}\t{:.4f}\n", picture_, first["labels"][0]["label"].get<std::string>(),
                                 first["labels"][0]["probability"].get<double>()));

  const auto error = [&](const std::string& text) {
    write_atomically(labels, text);
    const Ran ran = run_command({"match", "-m", model_, "--labels", labels, picture_});
    EXPECT_EQ(ran.code, 1);
    return ran.err;
  };
  EXPECT_THAT(error(""), HasSubstr("labels.txt: there are no labels in it"));
  EXPECT_THAT(error("a\n\nb\n"), HasSubstr("labels.txt: line 2 is empty"));
  EXPECT_THAT(error("a\n" + std::string(200, 'z') + "\n"), HasSubstr("line 2 has"));
}

TEST_F(ClipCommand, LogitsAreTheLastStates) {
  ASSERT_EQ(run_command({"logits", "-m", model_, "--picture", picture_, "--out", out_}).code, 0);
  expect_close(read_npy(out_), golden_.array("states"));
  write_npy(folder_ / "pixels.npy", golden_.array("pixels"));
  ASSERT_EQ(run_command({"logits", "-m", model_, "--pixels", folder_ / "pixels.npy", "--out", out_}).code, 0);
  expect_close(read_npy(out_), golden_.array("states"));
  const Ran text = run_command({"logits", "-m", model_, "--ids", "1,2", "--out", out_});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(read_npy(out_).shape(), (Shape{2, 16}));
}

TEST_F(ClipCommand, IsConvertedAndSaysWhatItIs) {
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--format", "hf"}, {"--dtype", "bf16"}, {"--quantize", "int8"}}) {
    const std::string other = folder_ / how.back();
    const Ran ran = run_command({"convert", "--from", model_, "--to", other, how[0], how[1]});
    ASSERT_EQ(ran.code, 0) << ran.err;
    ASSERT_EQ(run_command({"embed", "-m", other, "--out", out_}, {}, Stdout::kKept, lines_).code, 0);
    const Tensor got = read_npy(out_), want = golden_.array("texts");
    for (int64_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got.data<float>()[i], want.data<float>()[i], how[1] == "hf" ? 1e-4 : 0.3) << how[1];
  }
  const Ran map = run_command({"look", "-m", model_, "a photo of a cat"});
  EXPECT_EQ(map.code, 0) << map.err;
  EXPECT_THAT(map.out, HasSubstr("cat"));
  EXPECT_THAT(run_command({"info", "-m", model_}).out,
              HasSubstr("how well they match: fovea embed, match, look"));
  EXPECT_THAT(run_command({"classify", "-m", model_, picture_}).err, HasSubstr("fovea embed, match, look"));
}

}  // namespace
}  // namespace fovea::testing
