#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/look/plot_scale.h"
#include "fovea/look/width.h"

namespace fovea::look {
namespace {

constexpr int kHigh = 11;                      // lines of a chart, about
constexpr std::string_view kMarks = "*o+x#@";  // of the series, in their order

std::string spaces(int n) { return std::string(static_cast<size_t>(std::max(n, 0)), ' '); }

class PlotPrinter {
 public:
  PlotPrinter(const Plot& plot, int max_width, TerminalOptions::Color color)
      : plot_(plot), room_(std::max(max_width, 40)), color_(color) {}

  std::string page() const {
    std::string out;
    for (const std::string& text : {plot_.title, plot_.subtitle})
      if (!text.empty()) out += elide(text, room_) + "\n";
    const std::vector<Scale> x = x_scales(plot_, std::max(2, room_ / 16));
    for (size_t i = 0; i < plot_.charts.size(); ++i)
      out += legend(plot_.charts[i]) +
             (plot_.charts[i].groups.empty() ? curves(plot_.charts[i], x[i]) : bars(plot_.charts[i]));
    return out;
  }

 private:
  std::string paint(const std::string& text, size_t series) const {
    if (color_ == TerminalOptions::Color::kNone) return text;
    // Colours of the picture would be too dark on a dark background: the terminal's own.
    constexpr int kCodes[] = {94, 33, 36, 95, 34, 31};
    return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[series % std::size(kCodes)], text);
  }

  // The name of the y axis and of every series.
  std::string legend(const Chart& chart) const {
    std::string out = elide(chart.y.name, room_);
    int used = width(out);
    if (chart.series.size() > 1 || !chart.series[0].name.empty())
      for (size_t i = 0; i < chart.series.size(); ++i) {
        const std::string name = elide(chart.series[i].name, room_ / 2);
        const int needed = 2 + width(name) + (used > 0 ? 3 : 0);
        if (used > 0 && used + needed > room_) {
          out += '\n';
          used = 0;
        } else if (used > 0) {
          out += "   ";
        }
        out += paint(mark(i), i) + ' ' + name;
        used += needed;
      }
    return out.empty() ? out : out + "\n";
  }

  static std::string mark(size_t series) { return std::string(1, kMarks[series % kMarks.size()]); }

  // The series' height in each column: the mean of its points there; between points, on the line that joins them.
  static std::vector<double> heights(const Chart& chart, const Series& series, const Scale& x, const Scale& y,
                                     int columns) {
    std::vector<double> sum(static_cast<size_t>(columns), 0), count(sum);
    const auto place = [&](size_t i) {
      return std::clamp(x.share(series.x[i]) * (columns - 1), 0.0, static_cast<double>(columns - 1));
    };
    bool joined = false;  // the point before this one is no gap
    for (size_t i = 0; i < series.x.size(); ++i) {
      const bool drawn = is_drawn(series.x[i], chart.x.log) && is_drawn(series.y[i], chart.y.log) &&
                         x.share(series.x[i]) > -1e-9 && x.share(series.x[i]) < 1 + 1e-9;
      if (drawn) {
        const double at = place(i), high = y.share(series.y[i]);
        const auto column = static_cast<size_t>(std::lround(at));
        sum[column] += high;
        ++count[column];
        if (joined) {
          const double before = place(i - 1), low = y.share(series.y[i - 1]);
          for (long c = std::lround(std::min(before, at)) + 1; c < std::lround(std::max(before, at)); ++c) {
            sum[static_cast<size_t>(c)] +=
                low + (high - low) * (static_cast<double>(c) - before) / (at - before);
            ++count[static_cast<size_t>(c)];
          }
        }
      }
      joined = drawn;
    }
    for (size_t c = 0; c < sum.size(); ++c) sum[c] = count[c] > 0 ? sum[c] / count[c] : NAN;
    return sum;
  }

  std::string curves(const Chart& chart, const Scale& x) const {
    const Scale y = y_scale(chart, 4);
    int labels = 0;
    for (const Tick& tick : y.ticks) labels = std::max(labels, width(tick.text));
    const int columns = room_ - labels - 3;
    const int steps = std::max(static_cast<int>(y.ticks.size()) - 1, 1);
    const int below =
        steps * std::max(1, (kHigh - 1) / steps);  // lines below the first: ticks lie evenly on them
    const auto row_of = [&](double share) { return static_cast<int>(std::lround((1 - share) * below)); };

    // The series that is seen in each place.
    std::vector<std::vector<int>> cells(static_cast<size_t>(below + 1),
                                        std::vector<int>(static_cast<size_t>(columns), -1));
    for (size_t s = 0; s < chart.series.size(); ++s) {
      const std::vector<double> high = heights(chart, chart.series[s], x, y, columns);
      for (size_t c = 0; c < high.size(); ++c)
        if (high[c] > -0.5 / below && high[c] < 1 + 0.5 / below)
          cells[static_cast<size_t>(std::clamp(row_of(high[c]), 0, below))][c] = static_cast<int>(s);
    }
    std::vector<std::string> names(cells.size());
    for (const Tick& tick : y.ticks)
      names[static_cast<size_t>(std::clamp(row_of(y.share(tick.value)), 0, below))] = tick.text;

    std::string out;
    for (size_t row = 0; row < cells.size(); ++row) {
      out += fit(names[row], labels, Align::kRight) + (names[row].empty() ? " │" : " ┤");
      size_t end = cells[row].size();
      while (end > 0 && cells[row][end - 1] < 0) --end;
      for (size_t c = 0; c < end; ++c)
        out += cells[row][c] < 0
                   ? " "
                   : paint(mark(static_cast<size_t>(cells[row][c])), static_cast<size_t>(cells[row][c]));
      out += '\n';
    }
    return out + x_axis(chart, x, labels, columns);
  }

  std::string x_axis(const Chart& chart, const Scale& x, int labels, int columns) const {
    std::string out = spaces(labels) + " └", numbers;
    int free = 0;
    std::vector<bool> ticks(static_cast<size_t>(columns), false);
    for (const Tick& tick : x.ticks) {
      const int at = static_cast<int>(std::lround(x.share(tick.value) * (columns - 1)));
      const int from = std::clamp(at - width(tick.text) / 2, 0, columns - width(tick.text));
      if (from < free) continue;
      ticks[static_cast<size_t>(at)] = true;
      numbers += spaces(from - (free ? free - 1 : 0)) + tick.text;
      free = from + width(tick.text) + 1;
    }
    for (const bool tick : ticks) out += tick ? "┬" : "─";
    out += fmt::format("\n{}{}\n", spaces(labels + 2), numbers);
    if (!chart.x.name.empty()) {
      const std::string name = elide(chart.x.name, columns);
      out += spaces(labels + 2 + (columns - width(name)) / 2) + name + "\n";
    }
    return out;
  }

  std::string bars(const Chart& chart) const {
    const Scale scale = y_scale(chart, 4);
    const double base = chart.y.log ? 0 : std::clamp(scale.share(0), 0.0, 1.0);
    int names = 0, numbers = 0;
    for (const std::string& group : chart.groups) names = std::max(names, std::min(width(group), room_ / 3));
    for (const Series& series : chart.series)
      for (const double v : series.y) numbers = std::max(numbers, width(short_number(v)));
    const int columns = room_ - names - numbers - 6;
    std::string out;
    for (size_t g = 0; g < chart.groups.size(); ++g)
      for (size_t s = 0; s < chart.series.size(); ++s) {
        const double v = chart.series[s].y[g];
        out += fit(s == 0 ? chart.groups[g] : "", names, Align::kRight);
        if (chart.series.size() > 1) out += fmt::format(" {}", paint(mark(s), s));
        out += " │";
        if (is_drawn(v, chart.y.log)) {
          const double share = std::clamp(scale.share(v), 0.0, 1.0);
          const auto from = static_cast<int>(std::lround(std::min(base, share) * columns));
          const auto to = static_cast<int>(std::lround(std::max(base, share) * columns));
          std::string bar;
          for (int i = from; i < to; ++i) bar += "█";
          out += fmt::format("{}{} {}", spaces(from), paint(bar, s), short_number(v));
        } else {
          out += " –";
        }
        out += '\n';
      }
    return out;
  }

  const Plot& plot_;
  const int room_;
  const TerminalOptions::Color color_;
};

}  // namespace

std::string to_terminal(const Plot& plot, int max_width, TerminalOptions::Color color) {
  check_plot(plot);
  return PlotPrinter(plot, max_width, color).page();
}

}  // namespace fovea::look
