// Curves and bars, as an SVG picture (look/png.h makes it a PNG) and as text for a terminal.
//
//   look::Plot plot{.title = "Training"};
//   plot.charts = {{.x = {"updates"}, .y = {"loss"}, .series = {{"train", updates, loss}, {"valid", at, valid}}},
//                  {.x = {"updates"}, .y = {"BLEU"}, .series = {{"valid", at, bleu}}, .marks = {{4200, "best"}}}};
//   write_atomically("curve.svg", look::to_svg(plot));
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "fovea/look/terminal.h"

namespace fovea::look {

struct Axis {
  std::string name = {};
  bool log = false;  // base 10; numbers that are not positive are gaps
  // Where the axis begins and ends. NaN: chosen from the numbers, with round ends for y.
  double from = std::numeric_limits<double>::quiet_NaN(), to = std::numeric_limits<double>::quiet_NaN();
};

struct Series {
  std::string name = {};  // in the legend, which a chart of one series without a name does not have
  // As many of one as of the other. NaN and infinity are gaps in the line.
  std::vector<double> x = {}, y = {};
};

// A dashed line at one x, with a word at its top.
struct Mark {
  double x = 0;
  std::string text = {};
};

// One pair of axes. With `groups` it has bars, drawn sideways so that names stay readable: a group of bars for each
// name, in it one bar for each series, whose y has a number for each group (NaN: none) and whose x is empty.
struct Chart {
  Axis x = {}, y = {};  // bars are as long as y says
  std::vector<Series> series = {};
  std::vector<Mark> marks = {};
  std::vector<std::string> groups = {};
};

// Charts below each other, `across` of them side by side. Charts whose x axes have the same name show the same range;
// bars side by side with the same groups share their names.
struct Plot {
  std::string title = {}, subtitle = {};
  std::vector<Chart> charts = {};
  int across = 1;
  int width = 760, chart_height = 230;  // of a picture, in pixels; charts of bars are as high as they need
};

// Throws unless numbers fit each other as described, and there is something to draw. Lines keep their shape and a
// small file however many points they have: in each pixel's column the first, lowest, highest and last.
std::string to_svg(const Plot& plot);
// Every line is at most max_width wide (at least 40).
std::string to_terminal(const Plot& plot, int max_width = 80,
                        TerminalOptions::Color color = TerminalOptions::Color::kNone);

}  // namespace fovea::look
