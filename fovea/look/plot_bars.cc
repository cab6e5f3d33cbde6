#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/plot_draw.h"

namespace fovea::look {

std::string draw_bars(const Chart& chart, const Scale& y, const Frame& frame, bool with_names) {
  double numbers = 0;  // the room they take at the right of the longest bar
  for (const Series& series : chart.series)
    for (const double v : series.y)
      if (is_drawn(v, chart.y.log)) numbers = std::max(numbers, text_width(short_number(v), 11) + 8);
  const double wide = std::max(frame.wide - numbers, 20.0);
  const auto at = [&](double v) { return frame.left + wide * std::clamp(y.share(v), 0.0, 1.0); };
  const double base = at(chart.y.log ? y.low : std::clamp(0.0, y.low, y.high));

  std::string out;
  for (const Tick& tick : y.ticks)
    out += svg_line(at(tick.value), frame.top, at(tick.value), frame.bottom(),
                    fmt::format("stroke=\"{}\"", kPlotGrid)) +
           svg_text(at(tick.value), frame.bottom() + 16, tick.text,
                    fmt::format("text-anchor=\"middle\" fill=\"{}\"", kPlotSoft));
  const double high = kBarHigh * static_cast<double>(chart.series.size());
  for (size_t group = 0; group < chart.groups.size(); ++group) {
    const double top = frame.top + (high + kBetweenGroups) * static_cast<double>(group) + kBetweenGroups / 2;
    if (with_names)
      out += svg_text(frame.left - 8, top + high / 2 + 4, elide(chart.groups[group], kGroupColumns),
                      "text-anchor=\"end\"");
    for (size_t i = 0; i < chart.series.size(); ++i) {
      const double v = chart.series[i].y[group], from = top + kBarHigh * static_cast<double>(i);
      const double baseline = from + kBarHigh * 0.75;
      if (!is_drawn(v, chart.y.log)) {
        out += svg_text(base + 5, baseline, "–", fmt::format("fill=\"{}\"", kPlotSoft));
        continue;
      }
      const double left = std::min(base, at(v)), right = std::max(base, at(v));
      const std::string name =
          chart.series[i].name.empty() ? "" : fmt::format(", {}", xml(chart.series[i].name));
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"1\" fill=\"{}\">"
          "<title>{}{}: {}</title></rect>\n",
          left, from + 1, std::max(right - left, 0.5), kBarHigh - 2, series_color(i).hex(),
          xml(chart.groups[group]), name, short_number(v, 6));
      out += svg_text(right + 5, baseline, short_number(v), "font-size=\"11\"");
    }
  }
  return out + svg_line(base, frame.top, base, frame.bottom(), fmt::format("stroke=\"{}\"", kPlotAxis));
}

}  // namespace fovea::look
