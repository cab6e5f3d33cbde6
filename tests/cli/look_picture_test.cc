// fovea look and fovea caption --look as a user runs them: a model's directory and a picture in, what it says and where it looked out.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "fovea/base/file.h"
#include "fovea/data/pictures/read.h"
#include "tests/cli/run_command.h"
#include "tests/cli/run_in_terminal.h"
#include "tests/look/made_picture_map.h"
#include "tests/temporary_directory.h"
#include "tests/untrained_model.h"

namespace fovea::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

class LookAtPictures : public ::testing::Test {
 protected:
  LookAtPictures() {
    write_atomically(picture_, data::to_png(look::made_picture(32, 32)));
    write_atomically(folder_ / "large.png", data::to_png(look::made_picture(224, 300)));
  }
  std::string captioner(const Json& changes = {}, const std::string& tokenizer = "word") {
    write_untrained_captioner(folder_ / "captioner", changes, tokenizer);
    return folder_ / "captioner";
  }
  std::string labeller(const std::string& kind) {
    write_untrained_labeller(folder_ / kind, kind);
    return folder_ / kind;
  }
  Json json_file() { return Json::parse(read_file(folder_ / "map.json")); }

  TemporaryDirectory folder_;
  std::string picture_ = folder_ / "small.png";
};

TEST_F(LookAtPictures, ACaptionsWordsShowWhereTheyLooked) {
  const std::string model = captioner();
  const Ran ran =
      run_command({"look", "-m", model, picture_, "--json", folder_ / "map.json", "--svg",
                   folder_ / "map.svg", "--png", folder_ / "map.png", "--html", folder_ / "map.html"},
                  {"COLUMNS=60"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json map = json_file();
  EXPECT_THAT(map["grid"], ElementsAre(4, 4));
  const Json& one = map["attentions"][0];
  std::string words;
  for (const Json& row : one["rows"])
    if (row != "<eos>") words += (words.empty() ? "" : " ") + row.get<std::string>();
  EXPECT_THAT(ran.out, StartsWith(words + "\n\n"));
  EXPECT_EQ(map["title"], picture_ + " → " + words);
  for (const Json& row : one["weights"][0][0]) {
    double sum = 0;
    for (const Json& w : row) sum += w.get<double>();
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  EXPECT_THAT(read_file(folder_ / "map.svg"), StartsWith("<svg "));
  EXPECT_THAT(read_file(folder_ / "map.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(read_file(folder_ / "map.html"), StartsWith("<!doctype html>"));
  // fovea caption with the same beam says the same, and looks at the same places.
  const Ran said = run_command({"caption", "-m", model, picture_, "--beam-size", "5", "--json", "--look"});
  ASSERT_EQ(said.code, 0) << said.err;
  const Json object = Json::parse(said.out);
  EXPECT_EQ(object["caption"], words);
  EXPECT_EQ(object["look"]["attentions"][0]["weights"], one["weights"]);
  EXPECT_FALSE(object["look"].contains("picture"));
}

TEST_F(LookAtPictures, HardAttentionNamesThePlaceThatWasRead) {
  const std::string model = captioner({{"weigh", "hard"}, {"estimator", "exact"}});
  const Ran ran = run_command({"look", "-m", model, picture_, "--json", folder_ / "map.json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("@ is the place that was read"));
  const Json one = json_file()["attentions"][0];
  for (size_t r = 0; r < one["rows"].size(); ++r)
    EXPECT_EQ(one["weights"][0][0][r][one["chosen"][0][0][r].get<size_t>()], 1);
}

TEST_F(LookAtPictures, TokensBecomeWords) {
  const std::string model = captioner({}, "char");
  const auto rows = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"look", "-m", model, picture_, "--json", folder_ / "map.json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run_command(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json_file()["attentions"][0]["rows"].get<std::vector<std::string>>();
  };
  const std::vector<std::string> tokens = rows({}), words = rows({"--words"});
  EXPECT_LT(words.size(), tokens.size());
  EXPECT_EQ(json_file()["attentions"][0]["weights"][0][0][0].size(), 16u);
}

TEST_F(LookAtPictures, SeveralPicturesAreDrawnInOneFile) {
  const Ran ran = run_command({"caption", "-m", captioner(), picture_, folder_ / "large.png", "--look",
                               "--svg", folder_ / "map.svg", "--html", folder_ / "map.html"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("small.png\t"));
  EXPECT_THAT(ran.out, HasSubstr("large.png\t"));
  const std::string svg = read_file(folder_ / "map.svg");
  EXPECT_THAT(svg, HasSubstr("id=\"picture1\""));
  EXPECT_THAT(svg, Not(HasSubstr("id=\"picture2\"")));
  EXPECT_THAT(svg, HasSubstr("large.png → "));
}

TEST_F(LookAtPictures, ATransformerOverPatchesShowsItsClassTokenAndItsRollout) {
  const std::string model = labeller("vit");
  const Ran both = run_command({"look", "-m", model, picture_, "--json", folder_ / "map.json"});
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(both.out, ::testing::ContainsRegex("^(three|seven) \\(0\\.[0-9]+\\)\n"));
  EXPECT_THAT(both.out, HasSubstr("\nlayer 1\n"));
  EXPECT_THAT(both.out, HasSubstr("head 1"));
  const Json map = json_file();
  ASSERT_THAT(map["attentions"], SizeIs(2));
  EXPECT_EQ(map["attentions"][0]["name"], "class token");
  EXPECT_THAT(map["attentions"][0]["shape"], ElementsAre(2, 2, 1, 16));
  EXPECT_EQ(map["attentions"][1]["name"], "rollout");
  EXPECT_THAT(map["attentions"][1]["shape"], ElementsAre(2, 1, 1, 16));

  const Ran rolled =
      run_command({"look", "-m", model, picture_, "--rollout", "--json", folder_ / "map.json"});
  ASSERT_EQ(rolled.code, 0) << rolled.err;
  EXPECT_THAT(rolled.out, Not(HasSubstr("head")));
  ASSERT_THAT(json_file()["attentions"], SizeIs(1));
  EXPECT_EQ(json_file()["attentions"][0]["weights"], map["attentions"][1]["weights"]);

  const Ran part = run_command(
      {"look", "-m", model, picture_, "--layers", "1", "--heads", "0", "--json", folder_ / "map.json"});
  ASSERT_EQ(part.code, 0) << part.err;
  EXPECT_EQ(json_file()["attentions"][0]["weights"][0][0], map["attentions"][0]["weights"][1][0]);
  EXPECT_THAT(json_file()["attentions"][0]["layers"], ElementsAre(1));
}

TEST_F(LookAtPictures, FitsTheTerminalInColours) {
  const std::string caption = captioner(), vit = labeller("vit");
  for (const int columns : {40, 80, 200})
    for (const std::string& model : {caption, vit})
      for (const std::string& picture : {picture_, folder_ / "large.png"}) {
        const Screen screen = run_in_terminal(columns, {"look", "-m", model, picture});
        EXPECT_EQ(screen.code, 0) << screen.bytes;
        EXPECT_LE(screen.widest(), columns);
        EXPECT_THAT(screen.bytes, HasSubstr("▀"));
      }
}

TEST_F(LookAtPictures, WhatCannotBeIsOneLine) {
  const std::string caption = captioner(), vit = labeller("vit");
  const auto error = [&](const std::vector<std::string>& words, int code) {
    const Ran ran = run_command(words);
    EXPECT_EQ(ran.code, code) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(error({"look", "-m", caption, picture_, "--rollout"}, 2),
              HasSubstr("Transformers over patches"));
  EXPECT_THAT(error({"look", "-m", caption, picture_, "--target", "a"}, 2),
              HasSubstr("about models that translate"));
  EXPECT_THAT(error({"look", "-m", vit, picture_, "--head", "mean"}, 2), HasSubstr("--layers and --heads"));
  EXPECT_THAT(error({"look", "-m", vit, picture_, "--layers", "7"}, 1), HasSubstr("layer"));
  EXPECT_THAT(error({"look", "-m", labeller("cnn"), picture_}, 1),
              HasSubstr("it has no attention to look at"));
  EXPECT_THAT(error({"look", "-m", vit, folder_ / "none.png"}, 1), HasSubstr("none.png"));
  EXPECT_THAT(error({"look", "-m", captioner({{"attention", "bottleneck"}}), picture_}, 1),
              HasSubstr("this model does not look"));
  EXPECT_THAT(error({"caption", "-m", captioner({{"attention", "bottleneck"}}), picture_, "--look"}, 1),
              HasSubstr("this model does not look"));
}

}  // namespace
}  // namespace fovea::testing
