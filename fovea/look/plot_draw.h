// The parts of a plot's picture: to_svg() lays charts out, and these draw what is between their axes.
#pragma once

#include <string>
#include <string_view>

#include "fovea/look/plot_scale.h"

namespace fovea::look {

inline constexpr double kPlotText = 12;  // pixels of text
inline constexpr const char* kPlotInk = "#1b2733";
inline constexpr const char* kPlotSoft = "#51606e";
inline constexpr const char* kPlotAxis = "#7d8894";
inline constexpr const char* kPlotGrid = "#e4e7ea";

// Where the data of a chart lies in the picture.
struct Frame {
  double left = 0, top = 0, wide = 0, high = 0;
  double right() const { return left + wide; }
  double bottom() const { return top + high; }
};

// Elements; `more` are further attributes.
std::string svg_text(double x, double y, std::string_view words, std::string_view more = "");
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view more);

// Lines with few points have a dot for each.
inline bool is_dotted(const Series& series) { return series.x.size() <= 40; }
// A sample of a series' line, from x to x + 20, as the legend shows it.
std::string line_sample(const Series& series, size_t number, double x, double y);

// Curves, their axes and marks. `index` tells the chart from others in the picture.
std::string draw_lines(const Chart& chart, size_t index, const Scale& x, const Scale& y, const Frame& frame,
                       bool name_x);

inline constexpr double kBarHigh = 15, kBetweenGroups = 10;
inline constexpr int kGroupColumns = 26;  // longer names of groups are cut
// Bars with their numbers; with their names, unless the chart on the left has them.
std::string draw_bars(const Chart& chart, const Scale& y, const Frame& frame, bool with_names);

}  // namespace fovea::look
