#include "fovea/look/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "fovea/look/plot_scale.h"
#include "fovea/look/width.h"
#include "tests/look/text_parts.h"

namespace fovea::look {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> texts(const Scale& scale) {
  std::vector<std::string> out;
  for (const Tick& tick : scale.ticks) out.push_back(tick.text);
  return out;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), wanted), end; i != end; ++i) out.push_back((*i)[1]);
  return out;
}

Plot one(Series series) {
  Plot plot;
  plot.charts = {{.x = {"x"}, .y = {"y"}, .series = {std::move(series)}}};
  return plot;
}

std::string fault_of(const Plot& plot) {
  try {
    to_svg(plot);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scale, TicksAreRoundNumbers) {
  EXPECT_THAT(texts(scale_for({}, 0, 100, 5, true)), ElementsAre("0", "20", "40", "60", "80", "100"));
  EXPECT_THAT(texts(scale_for({}, 1, 12'345, 4, false)), ElementsAre("0", "5,000", "10,000"));
  EXPECT_THAT(texts(scale_for({}, 0.31, 0.34, 3, true)), ElementsAre("0.31", "0.32", "0.33", "0.34"));
  EXPECT_THAT(texts(scale_for({}, -7, 3, 5, true)), ElementsAre("-8", "-6", "-4", "-2", "0", "2", "4"));
  EXPECT_THAT(texts(scale_for({.name = "", .from = 0, .to = 1}, 5, 6, 4, true)),
              ElementsAre("0.0", "0.5", "1.0"));
}

TEST(Scale, LogarithmicTicksArePowersOrStepsBetweenThem) {
  const Axis log = {.name = "", .log = true};
  EXPECT_THAT(texts(scale_for(log, 1, 1000, 5, true)), ElementsAre("1", "10", "100", "1,000"));
  EXPECT_THAT(texts(scale_for(log, 0.9, 40, 5, true)), ElementsAre("0.5", "1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(texts(scale_for(log, 1.2, 1.9, 4, true)), ElementsAre("1.2", "1.4", "1.6", "1.8", "2.0"));
  const Scale scale = scale_for(log, 1, 100, 3, true);
  EXPECT_NEAR(scale.share(10), 0.5, 1e-12);
}

TEST(Scale, WhateverTheNumbersTicksLieWithinARangeThatHoldsThem) {
  const uint64_t seed = 20;
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int i = 0; i < 3000; ++i) {
    const bool log = random.below(2) == 0, round = random.below(2) == 0;
    const double power = random.uniform() * 500 - 250;
    double low = std::pow(10.0, power) * (log || random.below(2) ? 1 : -1);
    double high = low + std::abs(low) * std::pow(10.0, random.uniform() * 24 - 14);
    if (random.below(5) == 0) high = low;
    const int wanted = 1 + static_cast<int>(random.below(8));
    const Scale scale = scale_for({.name = "", .log = log}, low, high, wanted, round);
    SCOPED_TRACE(fmt::format("low {} high {} wanted {} log {} round {}", low, high, wanted, log, round));
    ASSERT_LT(scale.low, scale.high);
    const double slack = (std::abs(low) + std::abs(high)) * 1e-9;
    ASSERT_LE(scale.low, low + slack);
    ASSERT_GE(scale.high, high - slack);
    ASSERT_LE(scale.ticks.size(), 30u);
    for (size_t t = 0; t < scale.ticks.size(); ++t) {
      ASSERT_GT(scale.share(scale.ticks[t].value), -1e-3);
      ASSERT_LT(scale.share(scale.ticks[t].value), 1 + 1e-3);
      if (t > 0) {
        ASSERT_GT(scale.ticks[t].value, scale.ticks[t - 1].value);
        ASSERT_NE(scale.ticks[t].text, scale.ticks[t - 1].text);
      }
    }
    ASSERT_GE(scale.ticks.size(), round ? 2u : 0u);
  }
}

TEST(Scale, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(12'500), "12,500");
  EXPECT_EQ(short_number(-1'234'567.8), "-1,234,568");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(34.567), "34.57");
  EXPECT_EQ(short_number(99.996), "100");
  EXPECT_EQ(short_number(1.5e12), "1.5e12");
  EXPECT_EQ(short_number(1e-7), "1e-07");
}

TEST(Plot, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(fault_of(Plot()), "[plot] no charts: there is nothing to draw");
  EXPECT_EQ(fault_of(one({"loss", {1, 2}, {1}})), "[plot] series 'loss' has 2 x for 1 y: expected as many");
  Plot plot = one({"loss", {1}, {1}});
  EXPECT_EQ(fault_of(plot), "no error");
  plot.charts[0].groups = {"a", "b"};
  EXPECT_EQ(fault_of(plot), "[plot] series 'loss' has 1 numbers for 2 groups of bars: expected one for each");
  plot = one({"loss", {1}, {1}});
  plot.charts[0].y = {.name = "loss", .log = true, .from = 0};
  EXPECT_EQ(fault_of(plot), "[plot] axis 'loss' from 0 to nan: expected ascending numbers above 0");
  plot = one({"loss", {1}, {1}});
  plot.across = 9;
  EXPECT_THAT(fault_of(plot), HasSubstr("[plot] 760 pixels for 9 charts side by side"));
  plot.charts[0].series.clear();
  plot.across = 1;
  EXPECT_EQ(fault_of(plot), "[plot] a chart without series: there is nothing to draw");
}

TEST(PlotSvg, PointsLieWhereTheirNumbersSay) {
  const std::string svg = to_svg(one({"", {0, 5, 10}, {0, 1, 2}}));
  const auto path = matches(svg, "<path[^>]* d=\"(M[^\"]*)\"");
  ASSERT_EQ(path.size(), 1u);
  std::smatch at;
  ASSERT_TRUE(std::regex_match(path[0], at,
                               std::regex("M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+)")));
  const auto number = [&](int i) { return std::stod(at[static_cast<size_t>(i)]); };
  EXPECT_NEAR(number(3), (number(1) + number(5)) / 2, 0.11);
  EXPECT_NEAR(number(4), (number(2) + number(6)) / 2, 0.11);
  EXPECT_NEAR(number(2) - number(6), 230, 0.11);  // from the lowest tick to the highest: the whole height
  EXPECT_THAT(svg, HasSubstr("<title>5: 1</title>"));
}

TEST(PlotSvg, AGapPartsALineAndALonePointIsADot) {
  Series series{"", {}, {}};
  for (int i = 0; i < 100; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 20 || i == 60 || i == 62 ? NAN : i == 30 ? INFINITY : std::sin(i));
  }
  const std::string svg = to_svg(one(series));
  const auto path = matches(svg, "<path[^>]* d=\"(M[^\"]*)\"");
  ASSERT_EQ(path.size(), 1u);
  EXPECT_EQ(std::count(path[0].begin(), path[0].end(), 'M'), 4);  // 0-19, 21-29, 31-59, 63-99
  EXPECT_THAT(matches(svg, "<circle[^>]*><title>([^<]*)<"), ElementsAre(HasSubstr("61: ")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(PlotSvg, OnALogarithmicAxisWhatIsNotPositiveIsAGap) {
  Plot plot = one({"", {0, 1, 10, 100}, {5, 1, -1, 7}});
  plot.charts[0].x.log = plot.charts[0].y.log = true;
  EXPECT_EQ(matches(to_svg(plot), "<circle[^>]*><title>([^<]*)<"),
            (std::vector<std::string>{"1: 1", "100: 7"}));
}

TEST(PlotSvg, AMillionPointsAreASmallFileThatKeepsEveryPeak) {
  Series series{"noise", {}, {}};
  Random random(3);
  for (int i = 0; i < 1'000'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(random.uniform());
  }
  series.y[123'456] = 9.99;
  Plot plot = one(series);
  plot.charts[0].y.to = 9.99;
  const std::string svg = to_svg(plot);
  EXPECT_LT(svg.size(), 60'000u);
  // The top of the chart, where only the peak reaches.
  const std::string top = matches(svg, "clipPath[^>]*><rect x=\"[^\"]*\" y=\"([^\"]*)\"")[0];
  EXPECT_THAT(svg, HasSubstr(fmt::format(" {:.1f} ", std::stod(top) + 5)));
}

TEST(PlotSvg, ChartsWithOneXAxisShowOneRangeAndOneName) {
  Plot plot = one({"", {0, 1000}, {1, 2}});
  plot.charts[0].x.name = "updates";
  plot.charts.push_back({.x = {"updates"}, .y = {"BLEU"}, .series = {{"", {500}, {30}}}});
  const std::string svg = to_svg(plot);
  const auto ends = matches(svg, "<text x=\"([^\"]*)\"[^>]*>1,000</text>");
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(matches(svg, ">(updates)</text>").size(), 1u);
}

TEST(PlotSvg, BarsAreAsLongAsTheirNumbersAndSayThem) {
  Plot plot;
  plot.charts = {{.y = {"BLEU"},
                  .series = {{"soft", {}, {10, 20, NAN}}, {"hard", {}, {5, 40, 0}}},
                  .groups = {"dot", "additive", "안녕"}}};
  const std::string svg = to_svg(plot);
  const auto wide = matches(svg, "<rect[^>]* width=\"([^\"]*)\" [^>]*><title>");
  ASSERT_EQ(wide.size(), 5u);  // in the order of groups
  EXPECT_NEAR(std::stod(wide[3]) / std::stod(wide[0]), 4, 0.01);
  EXPECT_NEAR(std::stod(wide[2]) / std::stod(wide[1]), 4, 0.02);
  for (const char* text :
       {">dot<", ">안녕<", ">soft<", ">hard<", ">40<", ">–<", "<title>additive, hard: 40</title>"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST(PlotSvg, BarsSideBySideShareTheirNames) {
  Plot plot;
  plot.across = 2;
  const std::vector<std::string> names = {"dot", "additive"};
  plot.charts = {{.y = {"BLEU"}, .series = {{"", {}, {10, 20}}}, .groups = names},
                 {.y = {"seconds"}, .series = {{"", {}, {1, 2}}}, .groups = names}};
  EXPECT_EQ(matches(to_svg(plot), ">(additive)</text>").size(), 1u);
  plot.across = 1;
  EXPECT_EQ(matches(to_svg(plot), ">(additive)</text>").size(), 2u);
}

TEST(PlotSvg, AnyTextIsSafeAndAnythingDegenerateIsDrawn) {
  const std::string evil = "</svg><script>\"'&\n\x01\xff";
  Plot plot = one({evil, {1, 2}, {1, 2}});
  plot.title = plot.subtitle = plot.charts[0].x.name = plot.charts[0].y.name = evil;
  plot.charts[0].marks = {{1.5, evil}};
  plot.charts.push_back({.y = {evil}, .series = {{evil, {}, {1}}}, .groups = {evil}});
  const std::string svg = to_svg(plot);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_EQ(matches(svg, "(</svg>)").size(), 1u);
  for (const Series& series : std::vector<Series>{{"", {}, {}},
                                                  {"", {1}, {1}},
                                                  {"", {1, 1}, {2, 2}},
                                                  {"", {NAN}, {NAN}},
                                                  {"", {1e308, -1e308}, {1e308, -1e308}},
                                                  {"", {5e-324, 0}, {0, 5e-324}},
                                                  {"", {3, 2, 1}, {1e-300, 1e300, 0}}})
    for (const bool log : {false, true}) {
      Plot odd = one(series);
      odd.charts[0].x.log = odd.charts[0].y.log = log;
      for (const std::string& text : {to_svg(odd), to_terminal(odd)}) {
        EXPECT_THAT(text, Not(HasSubstr("nan")));
        EXPECT_THAT(text, Not(HasSubstr("inf")));
      }
    }
}

TEST(PlotTerminal, ACurveIsARowOfMarksBetweenAxes) {
  Plot plot = one({"train", {0, 10}, {0, 4}});
  plot.title = "Training";
  plot.charts[0].x.name = "updates";
  plot.charts[0].y.name = "loss";
  EXPECT_EQ(to_terminal(plot, 40),
            "Training\n"
            "loss   * train\n"
            "4 ┤                                 ***\n"
            "  │                             ****\n"
            "3 ┤                         ****\n"
            "  │                    *****\n"
            "2 ┤                ****\n"
            "  │           *****\n"
            "1 ┤       ****\n"
            "  │   ****\n"
            "0 ┤***\n"
            "  └┬─────────────────┬────────────────┬\n"
            "   0                 5               10\n"
            "                 updates\n");
}

TEST(PlotTerminal, BarsHaveNamesAndNumbers) {
  Plot plot;
  plot.charts = {{.y = {"BLEU"},
                  .series = {{"soft", {}, {10, NAN}}, {"hard", {}, {20, 15}}},
                  .groups = {"dot", "덧셈"}}};
  EXPECT_EQ(to_terminal(plot, 40),
            "BLEU   * soft   o hard\n"
            " dot * │██████████████ 10\n"
            "     o │███████████████████████████ 20\n"
            "덧셈 * │ –\n"
            "     o │████████████████████ 15\n");
}

TEST(PlotTerminal, NoLineIsWiderThanTheTerminal) {
  for (const int room : {0, 40, 57, 100, 200}) {
    Plot plot = one({"이름이 아주 긴 줄 그림 이름이 아주 긴 줄 그림", {1, 2, 1e6}, {0.001, -7, 123'456}});
    plot.title = std::string(300, 'x');
    plot.charts[0].series.push_back({"second", {1}, {1}});
    plot.charts.push_back(
        {.y = {"bars"}, .series = {{"a", {}, {-3, 7}}}, .groups = {std::string(90, 'g'), "한국어"}});
    for (const std::string& line : lines_of(to_terminal(plot, room)))
      EXPECT_LE(width(line), std::max(room, 40)) << line;
    EXPECT_THAT(to_terminal(plot, room, TerminalOptions::Color::k256), HasSubstr("\x1b[94m"));
  }
}

}  // namespace
}  // namespace fovea::look
