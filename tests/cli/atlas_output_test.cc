#include "fovea/cli/atlas_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fovea/cli/number_list.h"
#include "tests/look/made_atlas.h"
#include "tests/temporary_directory.h"

namespace fovea::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AtlasOutputs parsed(std::vector<std::string> arguments) {
  Arguments app("", "test");
  AtlasOutputs outputs;
  add_atlas_options(app, outputs);
  std::vector<char*> argv = {nullptr};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  std::string help;
  app.parse(static_cast<int>(argv.size()), argv.data(), help);
  return outputs;
}

TEST(NumberList, HasNumbersAndRangesOnceAndAscending) {
  EXPECT_THAT(number_list("0,2-4", "--layers"), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(number_list("7", "--layers"), ElementsAre(7));
  EXPECT_THAT(number_list("5,3-4,4,3-3", "--layers"), ElementsAre(3, 4, 5));
  for (const char* wrong :
       {"", ",", "1,", ",1", "a", "1-", "-1", "4-2", "1-2-3", "1 2", "0x1", "99999999999", "0-10000"})
    EXPECT_THROW(number_list(wrong, "--layers"), UsageError) << wrong;
}

TEST(AtlasOutputs, FlagsSelectWhatIsShown) {
  const AtlasOutputs outputs =
      parsed({"--layers", "0,2", "--heads", "1-3", "--token", "it", "--attention", "encoder", "--grid"});
  EXPECT_THAT(outputs.selection.layers, ElementsAre(0, 2));
  EXPECT_THAT(outputs.selection.heads, ElementsAre(1, 2, 3));
  EXPECT_EQ(outputs.selection.token, "it");
  EXPECT_TRUE(outputs.grid);
  EXPECT_FALSE(outputs.files());
  const std::string text = terminal_atlas(look::made_translator(3, 4), outputs);
  EXPECT_THAT(text, HasSubstr("encoder self: layers 0,2 down, heads 1-3 across"));
  EXPECT_THROW(parsed({"--layers", "x"}), UsageError);
}

TEST(AtlasOutputs, EveryFileThatIsWantedIsWritten) {
  const TemporaryDirectory directory;
  AtlasOutputs outputs;
  outputs.svg = directory / "a.svg";
  outputs.png = directory / "a.png";
  outputs.html = directory / "a.html";
  outputs.json = directory / "a.json";
  PendingFiles files;
  stage_atlas(look::made_translator(2, 2), outputs, files);
  EXPECT_FALSE(std::filesystem::exists(outputs.svg));
  files.commit();
  for (const std::string& path : {outputs.svg, outputs.png, outputs.html, outputs.json})
    EXPECT_GT(std::filesystem::file_size(path), 1000u) << path;
}

}  // namespace
}  // namespace fovea::cli
