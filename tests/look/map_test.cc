#include "fovea/look/map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/look/html.h"
#include "fovea/look/json.h"
#include "fovea/look/svg.h"
#include "fovea/look/terminal.h"
#include "fovea/look/width.h"
#include "tests/look/text_parts.h"

namespace fovea::look {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Map pair() {
  Map map;
  map.title = "I am a student";
  map.rows = {"나는", "학생", "이다"};
  map.columns = {"I", "am", "a", "student"};
  map.weights = Tensor::of<float>(
      {3, 4}, std::vector<float>{0.91f, 0.05f, 0.03f, 0.01f, 0, 0, 0, 0, 0.004f, 0.716f, 0.2f, 0.08f});
  return map;
}

// Rows that sum to 1, each looking mostly at its own position; with `causal`, later keys are hidden.
Map square(int heads, int n, bool causal) {
  Map map;
  for (int i = 0; i < n; ++i) map.rows.push_back((i % 3 ? "word" : "단어") + std::to_string(i));
  map.columns = map.rows;
  map.weights = Tensor::zeros({heads, n, n});
  float* w = map.weights.data<float>();
  for (int h = 0; h < heads; ++h)
    for (int r = 0; r < n; ++r) {
      const int last = causal ? r : n - 1;
      for (int c = 0; c <= last; ++c)
        w[(h * n + r) * n + c] = last == 0 ? 1 : c == r ? 0.5f : 0.5f / static_cast<float>(last);
    }
  return map;
}

std::string fault_of(const Map& map, int head = kMean) {
  try {
    map.check(head);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Map, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(fault_of(pair()), "no error");
  Map map = pair();
  map.rows.pop_back();
  EXPECT_EQ(fault_of(map), "[look] 2 row labels for weights of shape [3, 4]: expected 3");
  map = pair();
  map.columns.push_back("x");
  EXPECT_EQ(fault_of(map), "[look] 5 column labels for weights of shape [3, 4]: expected 4");
  map = pair();
  map.chosen = {0, 1};
  EXPECT_EQ(fault_of(map), "[look] 2 choices for 1 heads of 3 rows: expected one for each");
  map.chosen = {0, 1, 4};
  EXPECT_EQ(fault_of(map), "[look] the choice 4 among 4 columns");
  map = pair();
  EXPECT_EQ(fault_of(map, 1), "[look] head 1: the map has 1, counted from 0");
  map.head_names = {"a", "b"};
  EXPECT_EQ(fault_of(map), "[look] 2 names for 1 heads: expected one for each");
  map.head_names.clear();
  map.weights = map.weights.copy();
  for (float bad : {NAN, -0.1f, 1.5f, INFINITY}) {
    map.weights.data<float>()[5] = bad;
    EXPECT_THAT(fault_of(map), HasSubstr("expected numbers from 0 to 1"));
  }
  map.weights = Tensor::zeros({3, 4}, DType::kF64);
  EXPECT_EQ(fault_of(map), "[look] weights of shape [3, 4] and type f64: expected f32 [T, S] or [H, T, S]");
  map.weights = Tensor::zeros({0, 4});
  EXPECT_EQ(fault_of(map), "[look] weights of shape [0, 4]: there is nothing to show");
  EXPECT_THAT(fault_of(Map()), HasSubstr("expected f32 [T, S] or [H, T, S]"));
}

TEST(Map, AZeroIsHiddenUnlessAnotherKeyWasChosen) {
  Map map = pair();
  EXPECT_TRUE(panel_of(map, 0).row_is_hidden(1));
  EXPECT_FALSE(panel_of(map, 0).row_is_hidden(0));
  EXPECT_FALSE(panel_of(map, 0).is_hidden(2, 0));
  map.weights = Tensor::of<float>({3, 4}, std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0});
  EXPECT_TRUE(panel_of(map, 0).is_hidden(0, 1));
  map.chosen = {0, -1, 2};
  EXPECT_FALSE(panel_of(map, 0).is_hidden(0, 1));
  EXPECT_TRUE(panel_of(map, 0).is_hidden(1, 1));
  map.weights = Tensor::of<float>({3, 4}, std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0.5f, 0.5f, 0});
  EXPECT_TRUE(panel_of(map, 0).is_hidden(0, 1));
}

TEST(Map, TheMeanIsOverHeads) {
  Map map;
  map.rows = {"r"};
  map.columns = {"a", "b"};
  map.weights = Tensor::of<float>({2, 1, 2}, std::vector<float>{1, 0, 0.5f, 0.5f});
  const Panel mean = panel_of(map, kMean);
  EXPECT_THAT(mean.weights, ElementsAre(0.75f, 0.25f));
  EXPECT_EQ(mean.name, "mean of 2 heads");
  EXPECT_EQ(panels_of(map, kEveryHead)[1].name, "head 1");
  EXPECT_EQ(panel_of(pair(), kMean).name, "");
}

TEST(Terminal, ASmallMapIsATableOfNumbers) {
  EXPECT_EQ(to_terminal(pair()),
            "I am a student\n"
            "query \\ key │    I   am    a student │\n"
            "나는        │ 0.91 0.05 0.03    0.01 │\n"
            "학생        │ ------- hidden ------- │\n"
            "이다        │ <.01 0.72 0.20    0.08 │\n");
}

TEST(Terminal, AHardMapMarksTheChoice) {
  Map map = pair();
  map.title = "";
  map.weights = Tensor::of<float>({3, 4}, std::vector<float>{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  map.chosen = {0, 3, -1};
  EXPECT_EQ(to_terminal(map),
            "query \\ key │    I   am    a student │\n"
            "나는        │*1.00    ·    ·       · │\n"
            "학생        │    ·    ·    ·   *1.00 │\n"
            "이다        │ ------- hidden ------- │\n"
            "* the chosen key\n");
}

TEST(Terminal, EveryLineOfAGridHasTheSameWidthAndFits) {
  using Color = TerminalOptions::Color;
  for (int n : {1, 2, 7, 25, 130})
    for (int max_width : {0, 20, 40, 80, 200})
      for (Color color : {Color::kNone, Color::k256, Color::kTrue}) {
        Map map = square(2, n, true);
        map.rows[0] = "나는 아주 긴 이름을 가지고 있는 학생입니다 정말로";
        map.columns[0] = "\xff\x1b[31m";
        map.chosen.assign(static_cast<size_t>(2 * n), 0);
        const std::string text =
            without_color(to_terminal(map, {.color = color, .max_width = max_width, .head = 1}));
        EXPECT_EQ(text.find('\x1b'), std::string::npos);
        int wide = 0, grid = 0;
        for (const std::string& line : lines_of(text)) {
          EXPECT_LE(width(line), std::max(20, max_width)) << line;
          if (line.empty()) wide = 0;  // the next block of columns
          if (!line.ends_with("│")) continue;
          ++grid;
          if (wide == 0) wide = width(line);
          EXPECT_EQ(width(line), wide) << line;
        }
        EXPECT_GE(grid, n + 1);
      }
}

TEST(Terminal, ALongMapGoesOnInBlocksBelow) {
  Map map = square(1, 130, false);
  map.rows = {"a", "b", "c"};
  map.weights = Tensor::zeros({3, 130});
  for (const int column : {0, 64, 129}) map.weights.data<float>()[130 + column] = 0.25f;
  const auto lines = lines_of(to_terminal(map, {.max_width = 60}));
  std::string cells;  // of the second row, block after block
  int labels = 0, most = 0;
  for (const std::string& line : lines) {
    if (!line.starts_with("b ")) continue;
    ++labels;
    const size_t begin = line.find("│") + 3, end = line.find(" │", begin);
    cells += line.substr(begin, end - begin);
    most += line.find("0.25") != std::string::npos;
  }
  EXPECT_EQ(labels, 3);
  EXPECT_EQ(most, 0);  // too narrow for the key that the row looks at most
  EXPECT_EQ(width(cells), 130);
  EXPECT_EQ(count(cells, "@"), 3u);
  EXPECT_TRUE(cells.starts_with("@") && cells.ends_with("@")) << cells;
  const std::string wide = to_terminal(map, {.max_width = 100});
  EXPECT_EQ(count(wide, "\nb "), 2u);
  EXPECT_EQ(count(wide, " 0.25 │"), 1u);  // beside the last block
  EXPECT_THAT(wide, HasSubstr(" 130 단어129\n"));
}

TEST(Terminal, NotesSayHowCellsAreWritten) {
  EXPECT_THAT(to_terminal(square(1, 20, false), {.max_width = 90}), HasSubstr("numbers are percent\n"));
  EXPECT_THAT(to_terminal(square(1, 20, false), {.max_width = 90}), HasSubstr("\nkey: 1 단어0 2 word1 "));
  EXPECT_THAT(to_terminal(square(1, 30, false), {.max_width = 80}),
              HasSubstr("shades ' .:-=+x#%@' run from 0 to 0.50\n"));
}

TEST(Terminal, AHugeMapIsCutAndSaysSo) {
  const std::string text = to_terminal(square(1, 300, false), {.max_width = 500});
  EXPECT_THAT(text, HasSubstr("\n200 of 300 rows shown: SVG, HTML and JSON hold them all\n"));
  EXPECT_EQ(count(text, "\nword199 "), 1u);
  EXPECT_EQ(count(text, "\nword200 "), 0u);
  const std::string heads = to_terminal(square(40, 50, false), {.head = kEveryHead});
  EXPECT_EQ(count(heads, "\nhead "), 19u);  // and the first
  EXPECT_THAT(heads, HasSubstr("\n20 of 40 heads shown: choose one, or write HTML\n"));
  EXPECT_THAT(to_terminal(square(2, 200, false), {.head = kEveryHead}), Not(HasSubstr(" shown: choose")));
}

TEST(Terminal, ARowOfShadesNamesTheKeyItLooksAtMost) {
  Map map = square(1, 60, false);
  map.weights.data<float>()[3 * 60 + 3] = 0.004f;
  map.weights.data<float>()[3 * 60 + 50] = 0.4f;
  const auto lines = lines_of(to_terminal(map, {.max_width = 100}));
  EXPECT_THAT(lines[2 + 3], HasSubstr("│ word50 0.40 │")) << lines[5];
  EXPECT_THAT(lines[2 + 7], HasSubstr("│ word7  0.50 │")) << lines[9];
  for (const std::string& line : lines) EXPECT_LE(width(line), 100) << line;
}

TEST(Terminal, ColorPaintsWeightsAndLeavesZerosBare) {
  const std::string text = to_terminal(pair(), {.color = TerminalOptions::Color::kTrue, .dark = false});
  EXPECT_THAT(text, HasSubstr(" \x1b[97;48;2;16;44;77m0.91\x1b[0m"));
  EXPECT_EQ(count(text, "48;2;"), 8u);
  EXPECT_THAT(to_terminal(pair(), {.color = TerminalOptions::Color::k256}), HasSubstr("48;5;"));
  Map hard = pair();
  hard.chosen = {0, -1, 1};
  const std::string marked = without_color(to_terminal(hard, {.color = TerminalOptions::Color::kTrue}));
  EXPECT_THAT(marked, HasSubstr("│*0.91 0.05"));
  EXPECT_THAT(marked, HasSubstr("<.01*0.72 0.20"));
}

TEST(Svg, HasACellValueAndLabelForEverything) {
  const std::string svg = to_svg(pair());
  for (const char* text : {">나는<", ">student<", ">0.91<", ">&lt;.01<", ">hidden</text>", "url(#hidden)",
                           ">query<", ">key<", "<title>I am a student</title>"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "<g"), count(svg, "</g>"));
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
}

TEST(Svg, HeadsAreSmallMapsWithNames) {
  const std::string svg = to_svg(square(8, 12, true));
  for (int h = 0; h < 8; ++h) EXPECT_THAT(svg, HasSubstr(">head " + std::to_string(h) + "<"));
  EXPECT_THAT(to_svg(square(8, 12, true), {.head = 3}), HasSubstr(">head 3<"));
  EXPECT_THAT(to_svg(square(8, 12, true), {.head = kMean}), HasSubstr(">mean of 8 heads<"));
}

TEST(Svg, LongLabelsAreCutAndWholeInATooltip) {
  Map map = pair();
  map.columns[0] = "antidisestablishmentarianism & <more>";
  const std::string svg = to_svg(map);
  EXPECT_THAT(
      svg,
      HasSubstr("<title>antidisestablishmentarianism &amp; &lt;more&gt;</title>antidisestablishm…</text>"));
}

TEST(Svg, TooManyCellsAreRefusedWithAWayOut) {
  EXPECT_THROW(to_svg(square(2, 512, false)), Error);
  EXPECT_LT(to_svg(square(2, 512, false), {.head = 0}).size(), size_t{12'000'000});
}

TEST(AnyLabel, IsSafeInEveryFormat) {
  Map map = pair();
  const std::string evil = "</script><script>alert(1)</script>\"'&]]>-->\n\x01\xff\xE2\x80\xA8";
  map.title = map.row_name = map.column_name = evil;
  for (auto& label : map.rows) label = evil;
  for (auto& label : map.columns) label = evil;
  const std::string html = to_html(map), svg = to_svg(map), json = to_json(map);
  EXPECT_EQ(count(html, "<script"), 2u);
  EXPECT_EQ(count(html, "</script>"), 2u);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  for (const std::string& text : {html, svg, json}) {
    EXPECT_EQ(text.find('\x01'), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
    EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xA8")));
  }
  EXPECT_EQ(nlohmann::json::parse(json)["rows"][0].get<std::string>().substr(0, 9), "</script>");
}

TEST(Json, ReadsBackAsTheSameMap) {
  Map map = square(2, 3, true);
  map.chosen = {0, 1, 2, 0, 0, -1};
  const auto json = nlohmann::json::parse(to_json(map));
  EXPECT_EQ(json["shape"], (std::vector<int>{2, 3, 3}));
  EXPECT_EQ(json["rows"][0], "단어0");
  EXPECT_EQ(json["weights"].size(), 2u);
  for (size_t h = 0; h < 2; ++h)
    for (size_t r = 0; r < 3; ++r)
      for (size_t c = 0; c < 3; ++c)
        EXPECT_EQ(json["weights"][h][r][c].get<float>(), map.weights.data<float>()[(h * 3 + r) * 3 + c]);
  EXPECT_EQ(json["chosen"][1], (std::vector<int>{0, 0, -1}));
  EXPECT_EQ(
      to_json(pair()),
      "{\"title\":\"I am a "
      "student\",\"row_name\":\"query\",\"column_name\":\"key\",\"rows\":[\"\\ub098\\ub294\","
      "\"\\ud559\\uc0dd\",\"\\uc774\\ub2e4\"],\"columns\":[\"I\",\"am\",\"a\",\"student\"],\"shape\":[3,4],"
      "\"weights\":[[0.91,0.05,0.03,0.01],[0,0,0,0],[0.004,0.716,0.2,0.08]]}\n");
}

TEST(Html, IsOneFileWithItsDataAndNoNetwork) {
  const std::string html = to_html(square(2, 5, true));
  EXPECT_EQ(count(html, "http:"), 1u);
  EXPECT_EQ(count(html, "<svg xmlns=\"http://www.w3.org/2000/svg\""), 1u);
  EXPECT_THAT(html, Not(HasSubstr("https:")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_EQ(html.find('@'), html.find("@media"));
  const size_t begin = html.find("id=\"data\">") + 10;
  const auto data = nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  EXPECT_EQ(data["view"], "map");
  const auto& stack = data["stacks"][0];
  EXPECT_EQ(stack["heads"].size(), 2u);
  EXPECT_EQ(stack["rows"].size(), 5u);
  EXPECT_EQ(stack["weights"].get<std::string>().size(), (2 * 5 * 5 * 4 + 2) / 3 * 4);
  EXPECT_TRUE(stack["weights"].get<std::string>().starts_with("AACAPw"));  // 1.0f is 00 00 80 3f
}

}  // namespace
}  // namespace fovea::look
