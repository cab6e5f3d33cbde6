#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/plot_draw.h"

namespace fovea::look {
namespace {

constexpr double kPlotMargin = 20, kBetween = 28;  // margins: of the picture, and at the right of each chart
constexpr double kLegendLine = 20;

// Entries of the legend after the name of the y axis, in as many lines as they need.
struct Legend {
  std::vector<double> x;  // of each series, from the left end of the chart
  std::vector<int> row;
  int rows = 1;

  Legend(const Chart& chart, double wide) {
    if (chart.series.size() == 1 && chart.series[0].name.empty()) return;
    double at = chart.y.name.empty() ? 0 : text_width(chart.y.name, 13) + 24;
    for (const Series& series : chart.series) {
      const double needed = 26 + text_width(series.name, kPlotText);
      if (at > 0 && at + needed > wide) {
        at = 0;
        ++rows;
      }
      x.push_back(at);
      row.push_back(rows - 1);
      at += needed + 18;
    }
  }
};

class PlotLayout {
 public:
  explicit PlotLayout(const Plot& plot) : plot_(plot) {
    const int wide = plot.width / plot.across;
    x_ = x_scales(plot, std::max(2, wide / 90));
    for (const Chart& chart : plot.charts)
      y_.push_back(y_scale(chart, std::max(2, chart.groups.empty() ? plot.chart_height / 45 : wide / 130)));
    measure_labels();
  }

  std::string draw() const {
    double y = 14;
    std::string body = heading(y);
    const auto across = static_cast<size_t>(plot_.across);
    for (size_t first = 0; first < plot_.charts.size(); first += across) {
      const size_t last = std::min(first + across, plot_.charts.size());
      int legend_rows = 0;
      for (size_t i = first; i < last; ++i)
        legend_rows = std::max(legend_rows, Legend(plot_.charts[i], chart_wide_).rows);
      double x = kPlotMargin, next = y;
      for (size_t i = first; i < last; ++i) {
        x += labels_[i % across];
        const Frame frame = {x, y + legend_rows * kLegendLine + 8, chart_wide_, height_of(plot_.charts[i])};
        body += chart(i, frame, y);
        next = std::max(next, frame.bottom() + 22 + (names_x(i) ? 20 : 0));
        x += chart_wide_ + kBetween;
      }
      y = next + (last < plot_.charts.size() ? 12 : 8);
    }
    return start(y) + body + "</svg>\n";
  }

 private:
  // Room for labels left of each column of charts, so that charts below each other line up; the rest is for charts.
  void measure_labels() {
    labels_.assign(static_cast<size_t>(plot_.across), 0);
    for (size_t i = 0; i < plot_.charts.size(); ++i) {
      double& room = labels_[i % labels_.size()];
      if (!has_names(i)) continue;
      for (const std::string& name : plot_.charts[i].groups)
        room = std::max(room, text_width(elide(name, kGroupColumns), kPlotText) + 10);
      if (plot_.charts[i].groups.empty())
        for (const Tick& tick : y_[i].ticks) room = std::max(room, text_width(tick.text, kPlotText) + 10);
    }
    double wide = plot_.width - kPlotMargin;
    for (const double room : labels_) wide -= room + kBetween;
    chart_wide_ = std::max(wide / plot_.across, 40.0);
  }

  // Bars take their names from the chart on their left where it has the same ones.
  bool has_names(size_t i) const {
    if (i % static_cast<size_t>(plot_.across) == 0 || plot_.charts[i].groups.empty()) return true;
    return plot_.charts[i].groups != plot_.charts[i - 1].groups ||
           plot_.charts[i].series.size() != plot_.charts[i - 1].series.size();
  }

  // One name is enough for charts that share an axis: below the last of them.
  bool names_x(size_t i) const {
    const Chart& chart = plot_.charts[i];
    if (chart.x.name.empty() || !chart.groups.empty()) return false;
    const size_t below = i + static_cast<size_t>(plot_.across);
    return below >= plot_.charts.size() || plot_.charts[below].x.name != chart.x.name ||
           !plot_.charts[below].groups.empty();
  }

  double height_of(const Chart& chart) const {
    const double group = kBarHigh * static_cast<double>(chart.series.size()) + kBetweenGroups;
    return chart.groups.empty() ? plot_.chart_height : group * static_cast<double>(chart.groups.size());
  }

  std::string start(double height) const {
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" viewBox=\"0 0 {0} "
        "{1:.0f}\" "
        "font-family=\"{2}\" font-size=\"{3:.4g}\" fill=\"{4}\">\n",
        plot_.width, std::ceil(height), kFonts, kPlotText, kPlotInk);
    if (!plot_.title.empty()) out += fmt::format("<title>{}</title>\n", xml(plot_.title));
    return out + "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  }

  std::string heading(double& y) const {
    std::string out;
    if (!plot_.title.empty()) {
      out += svg_text(kPlotMargin, y + 16, plot_.title, "font-size=\"16\" font-weight=\"600\"");
      y += 30;
    }
    if (!plot_.subtitle.empty()) {
      out += svg_text(kPlotMargin, y + 8, plot_.subtitle, fmt::format("fill=\"{}\"", kPlotSoft));
      y += 24;
    }
    return out;
  }

  std::string chart(size_t i, const Frame& frame, double top) const {
    const Chart& chart = plot_.charts[i];
    std::string out;
    if (!chart.y.name.empty())
      out += svg_text(frame.left, top + 14, chart.y.name, "font-size=\"13\" font-weight=\"600\"");
    const Legend legend(chart, frame.wide);
    for (size_t s = 0; s < legend.x.size(); ++s) {
      const double x = frame.left + legend.x[s], y = top + 10 + legend.row[s] * kLegendLine;
      if (chart.groups.empty())
        out += line_sample(chart.series[s], s, x, y);
      else
        out +=
            fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" rx=\"1\" fill=\"{}\"/>\n",
                        x + 8, y - 6, series_color(s).hex());
      out += svg_text(x + 26, y + 4, chart.series[s].name);
    }
    return out + (chart.groups.empty() ? draw_lines(chart, i, x_[i], y_[i], frame, names_x(i))
                                       : draw_bars(chart, y_[i], frame, has_names(i)));
  }

  const Plot& plot_;
  std::vector<Scale> x_, y_;    // of each chart
  std::vector<double> labels_;  // of each column of charts
  double chart_wide_ = 0;
};

}  // namespace

std::string svg_text(double x, double y, std::string_view words, std::string_view more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n", x, y, more.empty() ? "" : " ", more,
                     xml(words));
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view more) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     more);
}

std::string to_svg(const Plot& plot) {
  check_plot(plot);
  return PlotLayout(plot).draw();
}

}  // namespace fovea::look
