// Where a model looked in a picture, as text, pictures, pages and data.
#include "fovea/look/picture_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/data/pictures/read.h"
#include "fovea/look/atlas_select.h"
#include "fovea/look/heat.h"
#include "fovea/look/json.h"
#include "fovea/look/picture_html.h"
#include "fovea/look/picture_svg.h"
#include "fovea/look/picture_terminal.h"
#include "fovea/look/png.h"
#include "fovea/look/width.h"
#include "tests/error_message.h"
#include "tests/look/made_picture_map.h"
#include "tests/look/text_parts.h"

namespace fovea::look {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using Colors = TerminalOptions::Color;

// A terminal that knows half blocks and true colours: the pixels that it shows, two rows for each line of text.
std::vector<std::vector<Color>> pixels_of(const std::string& text) {
  std::vector<std::vector<Color>> rows;
  for (const std::string& line : lines_of(text)) {
    if (line.find("▀") == std::string::npos) continue;
    rows.resize(rows.size() + 2);
    auto &upper = rows[rows.size() - 2], &lower = rows.back();
    Color front{}, back{};
    for (size_t i = 0; i < line.size();) {
      int r = 0, g = 0, b = 0, r2 = 0, g2 = 0, b2 = 0, used = 0;
      if (std::sscanf(line.c_str() + i, "\x1b[0;38;2;%d;%d;%d;48;2;%d;%d;%dm%n", &r, &g, &b, &r2, &g2, &b2,
                      &used) == 6 &&
          used > 0) {
        front = {static_cast<uint8_t>(r), static_cast<uint8_t>(g), static_cast<uint8_t>(b)};
        back = {static_cast<uint8_t>(r2), static_cast<uint8_t>(g2), static_cast<uint8_t>(b2)};
        i += static_cast<size_t>(used);
      } else if (line.compare(i, 3, "▀") == 0) {
        upper.push_back(front);
        lower.push_back(back);
        i += 3;
      } else if (line.compare(i, 4, "\x1b[0m") == 0) {
        i += 4;
      } else {
        EXPECT_EQ(line[i], ' ');
        upper.push_back({});
        lower.push_back({});
        ++i;
      }
    }
  }
  return rows;
}

bool same(const Color& a, const Color& b) { return a.red == b.red && a.green == b.green && a.blue == b.blue; }

TEST(PictureTiles, AreTheWordsOfACaptionTheHeadsOfALayerOrTheLayersOfARollout) {
  const std::vector<TileGroup> words = tile_groups(made_caption());
  ASSERT_THAT(words, SizeIs(1));
  EXPECT_EQ(words[0].name, "");
  ASSERT_THAT(words[0].tiles, SizeIs(5));
  EXPECT_EQ(words[0].tiles[2].label, "red");
  EXPECT_FLOAT_EQ(words[0].tiles[2].most, 0.6f + 0.4f / 64);
  EXPECT_EQ(words[0].tiles[2].weights[7], words[0].tiles[2].most);

  const std::vector<TileGroup> heads = tile_groups(made_patches(28, 7, 3, 4));
  ASSERT_THAT(heads, SizeIs(4));
  EXPECT_EQ(heads[1].name, "class token, layer 1");
  EXPECT_EQ(heads[1].tiles[2].label, "head 2");
  EXPECT_EQ(heads[1].tiles[2].weights[7], heads[1].tiles[2].most);
  EXPECT_EQ(heads[3].name, "rollout");
  ASSERT_THAT(heads[3].tiles, SizeIs(3));
  EXPECT_EQ(heads[3].tiles[2].label, "layer 2");
}

TEST(PictureTiles, ChosenLayersAndHeadsKeepTheirNumbers) {
  PictureMap map = made_patches(28, 7, 6, 4);
  map.atlas = selected(map.atlas, {.attention = "class", .layers = {2, 5}, .heads = {3}});
  const std::vector<TileGroup> groups = tile_groups(map);
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_EQ(groups[0].name, "head 3");
  ASSERT_THAT(groups[0].tiles, SizeIs(2));
  EXPECT_EQ(groups[0].tiles[1].label, "layer 5");
  EXPECT_EQ(groups[0].tiles[1].weights[28], groups[0].tiles[1].most);
  map = made_caption();
  map.atlas = selected(map.atlas, {});
  EXPECT_EQ(tile_groups(map)[0].name, "") << "a model's only layer and head";
  map.atlas = selected(map.atlas, {.token = "red"});
  ASSERT_THAT(tile_groups(map)[0].tiles, SizeIs(1));
  EXPECT_EQ(tile_groups(map)[0].tiles[0].label, "red");
}

TEST(PictureTerminal, FitsEveryWidthAndGoesOnBelow) {
  for (const int side : {32, 224})
    for (const int grid : {8, 14})
      for (const int columns : {20, 40, 80, 200})
        for (const Colors color : {Colors::kNone, Colors::k256, Colors::kTrue}) {
          const std::string text =
              to_terminal(made_caption(side, grid), {.color = color, .max_width = columns});
          for (const std::string& line : lines_of(without_color(text)))
            EXPECT_LE(width(line), columns) << side << " " << grid << " " << columns << "\n" << line;
          for (const char* word : {"small", "red", "circle", "<eos>"})
            EXPECT_EQ(count(without_color(text), fmt::format("{} 0.6", word)), 1u) << word << columns << "\n"
                                                                                   << text;
          EXPECT_EQ(count(text, "\x1b[") > 0, color != Colors::kNone);
        }
}

TEST(PictureTerminal, WiderTerminalsHaveMorePicturesInARow) {
  const auto rows = [](int columns) {
    return pixels_of(to_terminal(made_caption(), {.color = Colors::kTrue, .max_width = columns})).size();
  };
  EXPECT_EQ(rows(40), 6u * 32);   // one below the other, a pixel for each of the picture's
  EXPECT_EQ(rows(80), 2u * 24);   // three and three
  EXPECT_EQ(rows(200), 1u * 24);  // all
}

TEST(PictureTerminal, HeatLiesOverThePlacesThatWereLookedAt) {
  const auto pixels = pixels_of(to_terminal(made_caption(), {.color = Colors::kTrue, .max_width = 200}));
  ASSERT_THAT(pixels, SizeIs(24));
  const PictureMap map = made_caption();
  // Tiles are 24 wide with 2 between them; a place is 3 x 3 pixels. The first is the picture itself.
  EXPECT_EQ(pixels[0][0].blue, 96);
  for (int word = 0; word < 5; ++word) {
    const int place = 3 * word + 1;
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 24; ++x) {
        const bool looked = y / 3 * 8 + x / 3 == place;
        const float share = looked ? 1 : (0.4f / 64) / (0.6f + 0.4f / 64);
        const Color under = pixels[static_cast<size_t>(y)][static_cast<size_t>(x)];
        const Color over = pixels[static_cast<size_t>(y)][static_cast<size_t>(26 * (word + 1) + x)];
        EXPECT_TRUE(same(over, laid_over(under, heat_of(share)))) << word << " " << y << " " << x;
      }
  }
}

TEST(PictureTerminal, TheChosenPlaceIsFramedAndStaysAsItIs) {
  const auto pixels =
      pixels_of(to_terminal(made_caption(32, 8, true), {.color = Colors::kTrue, .max_width = 200}));
  ASSERT_THAT(pixels, SizeIs(24));
  for (int word = 0; word < 5; ++word) {
    const int top = (3 * word + 1) / 8 * 3, left = (3 * word + 1) % 8 * 3;
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 24; ++x) {
        const bool inside = y >= top && y < top + 3 && x >= left && x < left + 3;
        const bool frame = !inside && y >= top - 1 && y < top + 4 && x >= left - 1 && x < left + 4;
        const Color under = pixels[static_cast<size_t>(y)][static_cast<size_t>(x)];
        const Color over = pixels[static_cast<size_t>(y)][static_cast<size_t>(26 * (word + 1) + x)];
        EXPECT_TRUE(same(over, inside  ? under
                               : frame ? kFrame
                                       : laid_over(under, kUnread)))
            << word << " " << y << " " << x;
      }
  }
}

TEST(PictureTerminal, WithoutColoursWeightsAreShades) {
  const std::vector<std::string> lines = lines_of(to_terminal(made_caption(32, 8), {.max_width = 60}));
  // The picture, "a", "small": 16 columns each. "small" looks at place 4, the fifth in the first row.
  const auto blanks = [](size_t n) { return std::string(n, ' '); };
  EXPECT_EQ(lines[1].substr(16), blanks(4) + "@@" + blanks(12 + 2 + 8) + "@@" + blanks(6)) << lines[1];
  EXPECT_EQ(lines[9], blanks(16 + 2 + 5) + "a 0.61" + blanks(5 + 2 + 3) + "small 0.61");
  const std::string hard = to_terminal(made_caption(32, 8, true), {.max_width = 60});
  EXPECT_THAT(lines_of(hard)[1], HasSubstr("..@@............  ........@@......"));
  EXPECT_THAT(hard, HasSubstr("@ is the place that was read"));
}

TEST(PictureTerminal, WhatIsLeftOutIsSaid) {
  const std::string text = to_terminal(made_patches(224, 14, 12, 12), {.max_width = 80, .max_rows = 10});
  EXPECT_THAT(text, HasSubstr("of 156 attentions shown: choose layers or heads, or write HTML"));
  EXPECT_LT(lines_of(text).size(), 100u);
  EXPECT_THAT(to_terminal(made_patches(28, 7, 2, 2), {}), Not(HasSubstr("attentions shown")));
}

TEST(PictureTerminal, GridsLargerThanTheTerminalShowTheLargestWeights) {
  PictureMap map = made_caption(64, 60, false, {"x"});
  const std::string text = to_terminal(map, {.max_width = 30});
  for (const std::string& line : lines_of(text)) EXPECT_LE(width(line), 30);
  EXPECT_EQ(count(text, "\n@"), 1u) << text;  // place 1 is in the first of 30 columns
}

// What a viewer would see.
data::Picture viewed(const std::string& svg) {
  const std::string png = to_png(svg, 1);
  return as_rgb(
      data::parse_picture({reinterpret_cast<const std::byte*>(png.data()), png.size()}, "the picture"));
}
Color color_at(const data::Picture& picture, int64_t y, int64_t x) {
  const uint8_t* p = picture.at(y, x);
  return {p[0], p[1], p[2]};
}
// Rounding of opacity, of colours in between, and the renderer's own.
void expect_near(const Color& a, const Color& b, const std::string& where) {
  EXPECT_NEAR(a.red, b.red, 6) << where;
  EXPECT_NEAR(a.green, b.green, 6) << where;
  EXPECT_NEAR(a.blue, b.blue, 6) << where;
}

TEST(PictureSvg, AStripHasThePictureAndEachWordsHeatWhereItLooked) {
  const data::Picture seen = viewed(to_svg(made_caption()));
  const data::Picture picture = made_picture(32, 32);
  // 32 x 32 pixels are 4 times as large; tiles are 128 wide with 12 between them, and the first begins at (38, 16) below a title.
  const int64_t top = 38, left = 16, step = 140, pixel = 4, place = 16;
  for (int64_t y = 0; y < 32; y += 5)
    for (int64_t x = 0; x < 32; x += 5)
      expect_near(color_at(seen, top + y * pixel + 2, left + x * pixel + 2), color_at(picture, y, x),
                  fmt::format("the picture {} {}", y, x));
  for (int64_t word = 0; word < 5; ++word)
    for (int64_t p = 0; p < 24; ++p) {
      const int64_t y = p / 8 * place + 6, x = p % 8 * place + 6;
      const float share = p == 3 * word + 1 ? 1 : (0.4f / 64) / (0.6f + 0.4f / 64);
      expect_near(color_at(seen, top + y, left + step * (word + 1) + x),
                  laid_over(color_at(picture, y / pixel, x / pixel), heat_of(share)),
                  fmt::format("word {} place {}", word, p));
    }
}

TEST(PictureSvg, TheChosenPlaceIsFramed) {
  const data::Picture seen = viewed(to_svg(made_caption(32, 8, true)));
  for (int64_t word = 0; word < 5; ++word) {
    const int64_t chosen = 3 * word + 1, y = 38 + chosen / 8 * 16,
                  x = 16 + 140 * (word + 1) + chosen % 8 * 16;
    expect_near(color_at(seen, y + 8, x), kFrame, "the left side of the frame");
    expect_near(color_at(seen, y + 8, x + 15), kFrame, "its right side");
    expect_near(color_at(seen, y + 15, x + 8), kFrame, "its lower side");
    expect_near(color_at(seen, y + 8, x + 8),
                color_at(made_picture(32, 32), (y - 38 + 8) / 4, chosen % 8 * 4 + 2), "what was read");
  }
}

TEST(PictureSvg, LargePicturesAreEmbeddedOnceAndSeveralMapsStandBelowEachOther) {
  const std::string one = to_svg(made_patches(224, 14, 3, 4));
  EXPECT_EQ(count(one, "<image "), 1u);
  EXPECT_EQ(count(one, "<use "), 1u + 3 * 4 + 3);
  EXPECT_THAT(one, Not(HasSubstr("pixelated")));
  const PictureMap maps[] = {made_caption(32), made_caption(28)};
  const std::string two = to_svg(maps);
  EXPECT_EQ(count(two, "<image "), 2u);
  EXPECT_EQ(count(two, "id=\"picture0\""), 1u);
  EXPECT_EQ(count(two, "#picture1\""), 6u);
  EXPECT_THAT(two, HasSubstr("pixelated"));
  EXPECT_LT(to_svg(made_caption(2000)).size(), 2'000'000u) << "what nobody can see is not embedded";
}

TEST(PictureSvg, RefusesMoreThanAnybodyLooksAt) {
  EXPECT_THAT(error_of([] { to_svg(made_patches(32, 8, 60, 60)); }),
              HasSubstr("[svg] 3660 attentions with 234240 places"));
}

nlohmann::json page_data(const std::string& html) {
  const size_t begin = html.find("id=\"data\">") + 10;
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(PictureHtml, HoldsEveryPictureAndItsAttentions) {
  const PictureMap maps[] = {made_caption(32, 8, true), made_patches(28, 7, 3, 4)};
  const std::string html = to_html(maps);
  EXPECT_EQ(count(html, "http"), 1u);  // the name of what the page saves, which nobody fetches
  EXPECT_EQ(html.find('@'), html.find("@media"));
  const auto data = page_data(html);
  ASSERT_THAT(data["maps"], SizeIs(2));
  ASSERT_THAT(data["stacks"], SizeIs(3));
  EXPECT_EQ(data["maps"][1]["first"], 1);
  EXPECT_EQ(data["maps"][1]["count"], 2);
  EXPECT_EQ(data["maps"][1]["gridWidth"], 7);
  EXPECT_THAT(std::string(data["maps"][0]["picture"]), testing::StartsWith("data:image/png;base64,iVBOR"));
  EXPECT_EQ(data["stacks"][0]["chosen"][2], 7);
  EXPECT_EQ(data["heat"].size(), kHeat.size());
}

TEST(PictureJson, NumbersReadBackAsTheSame) {
  for (const bool hard : {false, true}) {
    const PictureMap map = made_caption(32, 8, hard);
    const auto json = nlohmann::json::parse(to_json(map));
    EXPECT_EQ(json["title"], "a small red circle");
    EXPECT_THAT(json["grid"], ElementsAre(8, 8));
    const auto& one = json["attentions"][0];
    EXPECT_THAT(one["rows"], ElementsAre("a", "small", "red", "circle", "<eos>"));
    EXPECT_EQ(one["columns"][11], "1,3");
    const float* w = map.atlas.stacks[0].weights.data<float>();
    for (size_t r = 0; r < 5; ++r)
      for (size_t p = 0; p < 64; ++p) EXPECT_EQ(one["weights"][0][0][r][p].get<float>(), *w++);
    EXPECT_EQ(one.value("chosen", nlohmann::json()).dump(), hard ? "[[[1,4,7,10,13]]]" : "null");
    EXPECT_TRUE(json.contains("picture"));
    EXPECT_FALSE(nlohmann::json::parse(to_json(map, false)).contains("picture"));
  }
}

TEST(PictureMaps, AnyLabelIsSafe) {
  const std::string bad = "</script><b>&\"'\x01\xff";
  PictureMap map = made_caption(32, 8, false, {bad, "b"});
  map.atlas.title = bad;
  const std::string html = to_html(map), svg = to_svg(map), text = to_terminal(map, {});
  EXPECT_EQ(count(html, "</script>"), 2u);
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_GT(viewed(svg).width, 0);
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

TEST(PictureMaps, WhatDoesNotFitIsRefused) {
  PictureMap map = made_caption();
  map.grid_width = 7;
  EXPECT_THAT(error_of([&] { map.check(); }), HasSubstr("'cross': 64 keys for a grid of 8 x 7"));
  map = made_caption();
  map.picture.pixels.pop_back();
  EXPECT_THAT(error_of([&] { map.check(); }), HasSubstr("a picture of 32 x 32 x 3 with 3071 bytes"));
  map.picture = {};
  EXPECT_THAT(error_of([&] { to_svg(map); }), HasSubstr("a picture of 0 x 0 x 0"));
}

}  // namespace
}  // namespace fovea::look
