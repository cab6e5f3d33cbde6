#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/look/colors.h"
#include "fovea/look/escape.h"
#include "fovea/look/font.h"
#include "fovea/look/plot_draw.h"

namespace fovea::look {
namespace {

constexpr double kRadius = 3.2;
constexpr size_t kDense = 400;  // a line of more points is thin: it is noise around a curve

// A dot of a series: each has its own shape, so that colour is not all that tells them apart. Ends before "/>".
std::string dot(size_t number, double x, double y) {
  constexpr double r = kRadius;
  switch (number % 4) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", x, y, r);
    case 1:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", x - r * 0.9,
                         y - r * 0.9, r * 1.8, r * 1.8);
    case 2:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}h-{:.1f}z\"", x, y - r * 1.2, r * 1.2,
                         r * 2.1, r * 2.4);
    default:
      return fmt::format("<path d=\"M{0:.1f} {1:.1f}l{2:.1f} {2:.1f} -{2:.1f} {2:.1f} -{2:.1f} -{2:.1f}z\"",
                         x, y - r * 1.3, r * 1.3);
  }
}
const char* dot_element(size_t number) {
  return number % 4 == 0 ? "circle" : number % 4 == 1 ? "rect" : "path";
}

std::string stroke(const Series& series, size_t number) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", series_color(number).hex(),
                     series.x.size() > kDense ? "1.2" : "2",
                     number < kSeriesColors.size() ? "" : " stroke-dasharray=\"7 4\"");
}

// A place in the picture, and the point of the series that is there.
struct Place {
  double x, y;
  size_t point;
};

// What is drawn of a run of places: all of them, or of each pixel's column the first, lowest, highest and last.
std::vector<Place> thinned(const std::vector<Place>& run, double wide) {
  if (static_cast<double>(run.size()) <= 4 * wide) return run;
  std::vector<Place> kept;
  const auto at = [&](size_t i) { return run.begin() + static_cast<std::ptrdiff_t>(i); };
  for (size_t from = 0, to = 0; from < run.size(); from = to) {
    while (to < run.size() && std::floor(run[to].x) == std::floor(run[from].x)) ++to;
    const auto [low, high] =
        std::minmax_element(at(from), at(to), [](const Place& a, const Place& b) { return a.y < b.y; });
    std::vector<size_t> chosen = {from, static_cast<size_t>(low - run.begin()),
                                  static_cast<size_t>(high - run.begin()), to - 1};
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const size_t i : chosen) kept.push_back(run[i]);
  }
  return kept;
}

class Lines {
 public:
  Lines(const Chart& chart, const Scale& x, const Scale& y, const Frame& frame)
      : chart_(chart), x_(x), y_(y), frame_(frame) {}

  std::string axes(bool name_x) const {
    std::string out;
    for (const Tick& tick : y_.ticks) {
      const double y = at_y(tick.value);
      out += svg_line(frame_.left, y, frame_.right(), y, fmt::format("stroke=\"{}\"", kPlotGrid)) +
             svg_text(frame_.left - 8, y + 4, tick.text,
                      fmt::format("text-anchor=\"end\" fill=\"{}\"", kPlotSoft));
    }
    const std::string stroke = fmt::format("stroke=\"{}\"", kPlotAxis);
    const std::string words = fmt::format("text-anchor=\"middle\" fill=\"{}\"", kPlotSoft);
    out += svg_line(frame_.left, frame_.bottom(), frame_.right(), frame_.bottom(), stroke);
    double free = -1e9;  // where the label before this one ended
    for (const Tick& tick : x_.ticks) {
      const double x = at_x(tick.value), half = text_width(tick.text, kPlotText) / 2;
      out += svg_line(x, frame_.bottom(), x, frame_.bottom() + 5, stroke);
      if (x - half < free + 6) continue;
      free = x + half;
      out += svg_text(x, frame_.bottom() + 18, tick.text, words);
    }
    if (name_x) out += svg_text(frame_.left + frame_.wide / 2, frame_.bottom() + 38, chart_.x.name, words);
    return out;
  }

  std::string marks() const {
    std::string out;
    for (const Mark& mark : chart_.marks) {
      if (!is_drawn(mark.x, chart_.x.log) || x_.share(mark.x) < 0 || x_.share(mark.x) > 1) continue;
      const double x = at_x(mark.x), half = text_width(mark.text, 11) / 2;
      const char* anchor = x + half > frame_.right() ? "end" : x - half < frame_.left ? "start" : "middle";
      out += svg_line(x, frame_.top, x, frame_.bottom(),
                      fmt::format("stroke=\"{}\" stroke-dasharray=\"3 3\"", kPlotSoft)) +
             svg_text(x, frame_.top - 4, mark.text,
                      fmt::format("font-size=\"11\" text-anchor=\"{}\" fill=\"{}\"", anchor, kPlotSoft));
    }
    return out;
  }

  std::string curve(size_t number) const {
    const Series& series = chart_.series[number];
    std::string path, dots;
    std::vector<Place> run;  // places without a gap between them
    const auto finish = [&] {
      // A point between gaps is no line: it is seen as a dot.
      if (run.size() == 1 || is_dotted(series))
        for (const Place& place : run) dots += dot_with_title(series, number, place);
      const std::vector<Place> kept = thinned(run, frame_.wide);
      for (size_t i = 0; i < kept.size() && run.size() > 1; ++i)
        path += fmt::format("{}{:.1f} {:.1f}", i ? (i == 1 ? "L" : " ") : "M", kept[i].x, kept[i].y);
      run.clear();
    };
    const auto near = [](double v) { return std::clamp(v, -1e6, 1e6); };  // where the axis is limited
    for (size_t i = 0; i < series.x.size(); ++i)
      if (is_drawn(series.x[i], chart_.x.log) && is_drawn(series.y[i], chart_.y.log))
        run.push_back({near(at_x(series.x[i])), near(at_y(series.y[i])), i});
      else
        finish();
    finish();
    std::string out;
    if (!path.empty())
      out += fmt::format("<path fill=\"none\" stroke-linejoin=\"round\" {} d=\"{}\"/>\n",
                         stroke(series, number), path);
    if (!dots.empty()) out += fmt::format("<g fill=\"{}\">\n{}</g>\n", series_color(number).hex(), dots);
    return out;
  }

 private:
  double at_x(double v) const { return frame_.left + frame_.wide * x_.share(v); }
  double at_y(double v) const { return frame_.bottom() - frame_.high * y_.share(v); }

  static std::string dot_with_title(const Series& series, size_t number, const Place& place) {
    const std::string name = series.name.empty() ? "" : fmt::format("{}, ", xml(series.name));
    return fmt::format("{}><title>{}{}: {}</title></{}>\n", dot(number, place.x, place.y), name,
                       short_number(series.x[place.point], 6), short_number(series.y[place.point]),
                       dot_element(number));
  }

  const Chart& chart_;
  const Scale &x_, &y_;
  const Frame& frame_;
};

}  // namespace

std::string line_sample(const Series& series, size_t number, double x, double y) {
  std::string out = svg_line(x, y, x + 20, y, stroke(series, number));
  if (is_dotted(series))
    out += dot(number, x + 10, y) + fmt::format(" fill=\"{}\"/>\n", series_color(number).hex());
  return out;
}

std::string draw_lines(const Chart& chart, size_t index, const Scale& x, const Scale& y, const Frame& frame,
                       bool name_x) {
  const Lines lines(chart, x, y, frame);
  std::string out = lines.axes(name_x) + lines.marks();
  out += fmt::format(
      "<clipPath id=\"clip{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" "
      "height=\"{4:.1f}\"/></clipPath>\n"
      "<g clip-path=\"url(#clip{0})\">\n",
      index, frame.left - 5, frame.top - 5, frame.wide + 10, frame.high + 10);
  for (size_t i = 0; i < chart.series.size(); ++i) out += lines.curve(i);
  return out + "</g>\n";
}

}  // namespace fovea::look
