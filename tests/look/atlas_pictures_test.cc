#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fovea/look/atlas_select.h"
#include "fovea/look/atlas_svg.h"
#include "fovea/look/atlas_terminal.h"
#include "fovea/look/html.h"
#include "fovea/look/json.h"
#include "fovea/look/telling_head.h"
#include "fovea/look/width.h"
#include "tests/error_message.h"
#include "tests/look/made_atlas.h"
#include "tests/look/text_parts.h"

namespace fovea::look {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two layers of two heads: the same token, the first token; the token before, all.
Atlas small() {
  Atlas atlas{"a b c", {made_stack("self", 2, 2, "a b c", "a b c")}};
  const std::vector<float> weights = {
      1, 0, 0, 0, 1, 0, 0,     0,     1, 1,     0,     0,    1,    0,     0,     1,     0,    0,
      1, 0, 0, 1, 0, 0, 0.25f, 0.75f, 0, 0.25f, 0.25f, 0.5f, 0.5f, 0.25f, 0.25f, 0.25f, 0.5f, 0.25f};
  std::copy(weights.begin(), weights.end(), atlas.stacks[0].weights.data<float>());
  return atlas;
}

TEST(AtlasTerminal, AGridHasLayersDownAndHeadsAcross) {
  EXPECT_EQ(to_terminal(small(), {.terminal = {.max_width = 40}}),
            "a b c\n"
            "\n"
            "self: layers 0,1 down, heads 0,1 across\n"
            "   0       1\n"
            "   ██      ██\n"
            " 0   ██    ██\n"
            "       ██  ██\n"
            "\n"
            "   ██      ▒▒▒▒██\n"
            " 1 ██      ██▒▒▒▒\n"
            "   ░░██    ▒▒██▒▒\n"  // the first row sees one place, which says nothing of the scale
            "\n"
            "shades from 0 to each head's largest;\n"
            "query down (3), key across (3)\n");
}

TEST(AtlasTerminal, AChosenRowIsShownInEveryHead) {
  EXPECT_EQ(to_terminal(selected(small(), {.token = "c"})),
            "a b c\n"
            "\n"
            "self: c (3 of 3), mean of 2 heads\n"
            "layer \\ key │    a    b    c │\n"
            "0           │ 0.50    · 0.50 │\n"
            "1           │ 0.25 0.62 0.12 │\n"
            "\n"
            "layer head │     │ looks at most\n"
            "    0    0 │   █ │ c 1.00\n"
            "         1 │ █   │ a 1.00\n"
            "    1    0 │ ▃▆  │ b 0.75  a 0.25\n"
            "         1 │ ▃▅▃ │ b 0.50  a 0.25  c 0.25\n"
            "bars run from 0 to 1.00\n");
}

TEST(AtlasTerminal, OneHeadIsAMap) {
  const std::string text = to_terminal(selected(small(), {.layers = {1}, .heads = {1}}));
  EXPECT_THAT(text, HasSubstr("self, layer 1, head 1\nquery \\ key │    a    b    c │\n"));
  EXPECT_THAT(to_terminal(selected(small(), {.layers = {1}, .heads = {1}}), {.grid = true}),
              HasSubstr("self: layers 1 down, heads 1 across\n"));
  EXPECT_THAT(to_terminal(selected(small(), {.token = "c"}), {.grid = true}),
              Not(HasSubstr("looks at most")));
}

TEST(AtlasTerminal, EveryLineFits) {
  using Color = TerminalOptions::Color;
  std::string many;
  for (int i = 0; i < 90; ++i) many += "단어" + std::to_string(i) + " ";
  const Atlas atlases[] = {made_encoder(3, 12),
                           made_translator(2, 8),
                           {"", {made_stack("self", 2, 16, many, many, true)}},
                           {"", {made_stack("cross", 2, 3, "a", many)}},
                           {"", {made_stack("cross", 2, 3, many, "a")}}};
  for (const Atlas& atlas : atlases)
    for (const bool row : {false, true})
      for (int max_width : {0, 20, 40, 80, 200})
        for (Color color : {Color::kNone, Color::k256, Color::kTrue}) {
          Atlas shown = atlas;
          for (Stack& stack : shown.stacks) stack.row = row ? 0 : -1;
          const std::string text =
              without_color(to_terminal(shown, {.terminal = {.color = color, .max_width = max_width}}));
          EXPECT_EQ(text.find('\x1b'), std::string::npos);
          for (const std::string& line : lines_of(text))
            EXPECT_LE(width(line), std::max(max_width, 20)) << line;
        }
}

TEST(AtlasTerminal, HeadsThatDoNotFitFollowBelowInEvenParts) {
  const std::string text = to_terminal(made_encoder(1, 8), {.terminal = {.max_width = 60}});
  EXPECT_THAT(text, HasSubstr("\n   0            1            2            3\n"));
  EXPECT_THAT(text, HasSubstr("\n   4            5            6            7\n"));
}

TEST(AtlasTerminal, ManyLayersAreCutAndThatIsSaid) {
  const std::string text = to_terminal(made_encoder(20, 2), {.terminal = {.max_rows = 21}});
  EXPECT_THAT(text, HasSubstr("\n1 of 20 layers shown: choose some, or write HTML\n"));
  EXPECT_THAT(to_terminal(selected(made_encoder(20, 2), {.token = "it"}), {.terminal = {.max_rows = 21}}),
              HasSubstr("\n21 of 40 heads shown: choose some, or write HTML\n"));
}

TEST(AtlasTerminal, ColorIsTwoPixelsInACharacterAndHiddenOnesStayBare) {
  using Color = TerminalOptions::Color;
  Atlas atlas{"", {made_stack("self", 1, 2, "a b c d e", "a b c d e")}};
  float* w = atlas.stacks[0].weights.data<float>();
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column) {
      w[row * 5 + column] = row == column ? 1 : 0;
      w[25 + row * 5 + column] = column == 0 ? 1 : 0;
    }
  const std::string text =
      to_terminal(atlas, {.terminal = {.color = Color::kTrue, .dark = false, .max_width = 20}});
  EXPECT_THAT(text, HasSubstr("\x1b[38;2;16;44;77m▀\x1b[0m\x1b[38;2;16;44;77m▄\x1b[0m"));  // the diagonal
  EXPECT_THAT(text, HasSubstr("\x1b[38;2;16;44;77;48;2;16;44;77m▀\x1b[0m"));               // the first column
  EXPECT_THAT(to_terminal(atlas, {.terminal = {.color = Color::k256}}), HasSubstr("38;5;"));
}

TEST(AtlasSvg, HasAThumbnailForEachHeadWithItsNumbers) {
  const std::string svg = to_svg(selected(made_translator(6, 8), {.layers = {1, 4}, .heads = {0, 6, 7}}));
  EXPECT_EQ(count(svg, ": largest weight "), 3u * 2 * 3);
  for (const char* text : {">head 0<", ">6<", ">layer 1<", ">4<", ">encoder self ", ">decoder self ",
                           ">cross ", "target down (8), source across (11)", "each head's largest weight",
                           "<title>cross, layer 4, head 7: largest weight"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_EQ(count(svg, "<g"), count(svg, "</g>"));
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  EXPECT_EQ(count(svg, "<svg"), 1u);
  EXPECT_THAT(to_svg(small(), {.shared_scale = true}), HasSubstr("1.00, the same colours in all heads"));
}

TEST(AtlasSvg, AChosenRowHasAPanelForEachLayer) {
  const Atlas atlas = selected(made_translator(6, 8), {.layers = {0, 5}, .token = "길을"});
  const std::string svg = to_svg(atlas);
  EXPECT_EQ(count(svg, ">layer 0<"), 2u);  // of the decoder itself, and across
  EXPECT_EQ(count(svg, ">layer 5<"), 2u);
  EXPECT_THAT(svg, HasSubstr(">cross: 길을 (6 of 8)<"));
  EXPECT_THAT(to_svg(atlas, {.grid = true}), HasSubstr(": largest weight "));
}

TEST(AtlasSvg, ALongInputStaysAFileThatOpens) {
  Stack stack = made_stack("self", 1, 1, "a", "a");
  stack.rows = stack.columns = std::vector<std::string>(512, "w");
  stack.weights = Tensor::zeros({4, 12, 512, 512});
  for (size_t i = 0; i < stack.weights.span<float>().size(); ++i)
    stack.weights.data<float>()[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  const std::string svg = to_svg(Atlas{"", {stack}});
  EXPECT_LT(svg.size(), size_t{8'000'000});
  EXPECT_THAT(svg, HasSubstr("a pixel is the mean of up to 64 weights"));
  stack.rows = stack.columns = {"w"};
  stack.weights = Tensor::zeros({401, 10, 1, 1});
  EXPECT_EQ(error_of([&] {
              to_svg(Atlas{"", {stack}});
            }),
            "[svg] 4010 heads: expected 4000 or fewer; choose layers or heads");
}

nlohmann::json data_of(const std::string& html) {
  const size_t begin = html.find("id=\"data\">") + 10;
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(AtlasHtml, HoldsEveryAttentionAndTheChosenRow) {
  const std::string html =
      to_html(selected(made_translator(6, 8), {.layers = {1, 4}, .heads = {0, 7}, .token = "길을"}));
  EXPECT_EQ(count(html, "http"), 1u);  // the name of what the page saves, which nobody fetches
  EXPECT_EQ(count(html, "<svg xmlns=\"http://www.w3.org/2000/svg\""), 1u);
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_EQ(html.find('@'), html.find("@media"));
  const auto data = data_of(html);
  EXPECT_EQ(data["view"], "heads");
  const auto place =
      telling_head(selected(made_translator(6, 8), {.layers = {1, 4}, .heads = {0, 7}, .token = "길을"}));
  ASSERT_TRUE(place);
  EXPECT_EQ(data["open"]["stack"], place->stack);
  EXPECT_EQ(data["open"]["layer"], place->layer);
  EXPECT_EQ(data["open"]["head"], place->head);
  EXPECT_EQ(data["rounded"], false);
  EXPECT_EQ(data["stacks"].size(), 2u);
  const auto& cross = data["stacks"][1];
  EXPECT_EQ(cross["name"], "cross");
  EXPECT_EQ(cross["layers"], (std::vector<int>{1, 4}));
  EXPECT_EQ(cross["heads"], (std::vector<int>{0, 7}));
  EXPECT_EQ(cross["row"], 5);
  EXPECT_EQ(cross["rows"].size(), 8u);
  EXPECT_EQ(cross["weights"].get<std::string>().size(), (2 * 2 * 8 * 11 * 4 + 2) / 3 * 4);
}

TEST(AtlasHtml, ALargePageIsRoundedAndATooLargeOneRefused) {
  Stack stack = made_stack("self", 1, 1, "a", "a");
  stack.rows = stack.columns = std::vector<std::string>(512, "w");
  stack.weights = Tensor::zeros({2, 8, 512, 512});
  const std::vector<float> weights = {1, 0.25f, 1e-9f, 0, 0.01f, 0.5f};
  std::copy(weights.begin(), weights.end(), stack.weights.data<float>());
  const auto data = data_of(to_html(Atlas{"", {stack}}));
  EXPECT_EQ(data["rounded"], true);
  // 255, 128 (0.252), 1 (not 0), 0, 26 (0.0104), 180 (0.498)
  EXPECT_TRUE(data["stacks"][0]["weights"].get<std::string>().starts_with("/4ABABq0"));
  stack.weights = Tensor::zeros({12, 16, 512, 512});
  EXPECT_EQ(error_of([&] {
              to_html(Atlas{"", {stack}});
            }),
            "[html] 50331648 weights: expected 48000000 or fewer; choose layers or heads");
}

TEST(AtlasJson, ReadsBackAsTheSameWeights) {
  const Atlas atlas = selected(made_translator(3, 4), {.layers = {0, 2}, .heads = {1, 3}, .token = "길을"});
  const auto json = nlohmann::json::parse(to_json(atlas));
  EXPECT_EQ(json["title"], atlas.title);
  EXPECT_EQ(json["attentions"].size(), 2u);
  const auto& cross = json["attentions"][1];
  EXPECT_EQ(cross["name"], "cross");
  EXPECT_EQ(cross["layers"], (std::vector<int>{0, 2}));
  EXPECT_EQ(cross["heads"], (std::vector<int>{1, 3}));
  EXPECT_EQ(cross["shape"], (std::vector<int>{2, 2, 8, 11}));
  EXPECT_EQ(cross["row"], 5);
  EXPECT_FALSE(cross.contains("chosen"));
  const float* w = atlas.stacks[1].weights.data<float>();
  for (size_t l = 0; l < 2; ++l)
    for (size_t h = 0; h < 2; ++h)
      for (size_t r = 0; r < 8; ++r)
        for (size_t c = 0; c < 11; ++c) EXPECT_EQ(cross["weights"][l][h][r][c].get<float>(), *w++);
  Atlas hard = small();
  hard.stacks[0].chosen = {0, 1, 2, 0, 0, 0, 0, 0, 1, 2, -1, 1};
  EXPECT_EQ(nlohmann::json::parse(to_json(hard))["attentions"][0]["chosen"][1][1],
            (std::vector<int>{2, -1, 1}));
}

TEST(AtlasLabels, AreSafeInEveryFormat) {
  const std::string evil = "</script><script>alert(1)</script>\"'&]]>-->\n\x01\xff\xE2\x80\xA8";
  Atlas atlas = small();
  Stack& stack = atlas.stacks[0];
  atlas.title = stack.name = stack.row_name = stack.column_name = evil;
  for (auto& label : stack.rows) label = evil;
  for (auto& label : stack.columns) label = evil;
  for (const int row : {-1, 1}) {
    stack.row = row;
    const std::string html = to_html(atlas), svg = to_svg(atlas), json = to_json(atlas),
                      text = to_terminal(atlas);
    EXPECT_EQ(count(html, "<script"), 2u);
    EXPECT_EQ(count(html, "</script>"), 2u);
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    for (const std::string& out : {html, svg, json, text}) {
      EXPECT_EQ(out.find('\x01'), std::string::npos);
      EXPECT_EQ(out.find('\xff'), std::string::npos);
      EXPECT_THAT(out, Not(HasSubstr("\xE2\x80\xA8")));
    }
  }
}

}  // namespace
}  // namespace fovea::look
