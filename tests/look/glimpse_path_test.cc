#include "fovea/look/glimpse_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/data/pictures/read.h"
#include "fovea/look/colors.h"
#include "fovea/look/png.h"
#include "fovea/look/width.h"
#include "tests/error_message.h"
#include "tests/look/made_picture_map.h"
#include "tests/look/text_parts.h"

namespace fovea::look {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Six glimpses of three scales over a field of 60 x 60; the last one at a corner.
GlimpsePath made_path() {
  GlimpsePath path{made_picture(60, 60), {}, "7", 0.98f, "digit.png"};
  for (const auto& [x, y] :
       std::vector<std::pair<float, float>>{{30, 30}, {12, 20}, {18, 40}, {40, 44}, {44, 40}, {57, 59}})
    path.glimpses.push_back({x, y, {12, 24, 48}});
  return path;
}

TEST(GlimpsePath, TheEyeSeesTheSquareAroundThePointAndBlackOutside) {
  const GlimpsePath path = made_path();
  const data::Picture near = retina(path, 1, 0), far = retina(path, 1, 2), corner = retina(path, 5, 0);
  ASSERT_EQ(near.width, 12);
  ASSERT_EQ(far.width, 12);
  for (int64_t y = 0; y < 12; ++y)
    for (int64_t x = 0; x < 12; ++x) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(near.at(y, x)[c], path.picture.at(14 + y, 6 + x)[c]);
      const bool outside = 51 + x >= 60 || 53 + y >= 60;
      EXPECT_EQ(corner.at(y, x)[2], outside ? 0 : 96) << y << " " << x;
    }
  // 48 pixels around (12, 20) in 12: each is the mean of 4 x 4, and the three leftmost lie outside.
  EXPECT_EQ(far.at(6, 2)[2], 0);
  EXPECT_EQ(far.at(6, 3)[2], 96);
  double mean = 0;
  for (int64_t y = 20; y < 24; ++y)
    for (int64_t x = 12; x < 16; ++x) mean += path.picture.at(y, x)[0] / 16.0;
  EXPECT_NEAR(far.at(6, 6)[0], mean, 1);
}

TEST(GlimpsePath, SvgNumbersThePointsAndFramesThemWhereTheyAre) {
  const GlimpsePath path = made_path();
  const std::string svg = to_svg(path);
  for (int i = 1; i <= 6; ++i) EXPECT_EQ(count(svg, fmt::format(">{}</text>", i)), 2u) << i;
  EXPECT_EQ(count(svg, "<image "), 1u + 6 * 3);
  const std::string png = to_png(svg, 1);
  const data::Picture seen = as_rgb(
      data::parse_picture({reinterpret_cast<const std::byte*>(png.data()), png.size()}, "the picture"));
  // 60 pixels are 6 times as large, and begin at (38, 16). The left side of the second glimpse's smallest square is at x = 6.
  const uint8_t* p = seen.at(38 + 6 * 17, 16 + 6 * 6);
  const Color expected = kHeadColors[1];
  EXPECT_NEAR(p[0], expected.red, 4);
  EXPECT_NEAR(p[1], expected.green, 4);
  EXPECT_NEAR(p[2], expected.blue, 4);
}

TEST(GlimpsePath, TheTerminalShowsNumbersAndFitsEveryWidth) {
  using Colors = TerminalOptions::Color;
  for (const int columns : {20, 40, 80, 200})
    for (const Colors color : {Colors::kNone, Colors::k256, Colors::kTrue}) {
      const std::string text = to_terminal(made_path(), {.color = color, .max_width = columns});
      const std::vector<std::string> lines = lines_of(without_color(text));
      EXPECT_EQ(lines[0].substr(0, 9), "digit.png");
      std::string drawn;
      for (const std::string& line : lines) {
        EXPECT_LE(width(line), columns) << line;
        if (line.find(" at (") == std::string::npos) drawn += line;
      }
      for (const char* number : {"1", "2", "3", "4", "6"}) EXPECT_GE(count(drawn, number), 1u) << number;
      EXPECT_THAT(text, HasSubstr("2. at (12, 20)"));
    }
  // The picture is 60 wide: a column for each of its pixels, a line for two. (12, 20) is in column 12 of line 10 after the title.
  const std::string text = to_terminal(made_path(), {.max_width = 80});
  EXPECT_EQ(lines_of(text)[1 + 10][12], '2') << text;
}

TEST(GlimpsePath, JsonReadsBackAndThePageHoldsWhatWasSeen) {
  const GlimpsePath path = made_path();
  const auto json = nlohmann::json::parse(to_json(path));
  EXPECT_EQ(json["label"], "7");
  EXPECT_EQ(json["probability"].get<float>(), 0.98f);
  ASSERT_THAT(json["glimpses"], SizeIs(6));
  EXPECT_EQ(json["glimpses"][1]["x"], 12);
  EXPECT_EQ(json["glimpses"][1]["sizes"][2], 48);
  const std::string html = to_html(path);
  const size_t begin = html.find("id=\"data\">") + 10;
  const auto data = nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  ASSERT_THAT(data["seen"], SizeIs(6));
  EXPECT_THAT(data["seen"][5], SizeIs(3));
  EXPECT_EQ(count(html, "http"), 0u);
}

TEST(GlimpsePath, RefusesWhatIsNoPath) {
  GlimpsePath path = made_path();
  path.glimpses[2].sizes[1] = 0;
  EXPECT_THAT(error_of([&] { to_svg(path); }), HasSubstr("a glimpse of 0 pixels"));
  path.glimpses[2].sizes.clear();
  EXPECT_THAT(error_of([&] { to_json(path); }), HasSubstr("a glimpse without sizes"));
  path.glimpses.clear();
  EXPECT_THAT(error_of([&] { to_html(path); }), HasSubstr("0 glimpses"));
  path = made_path();
  path.glimpses[0].x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of([&] { to_terminal(path); }), HasSubstr("a glimpse at (nan, 30)"));
}

}  // namespace
}  // namespace fovea::look
