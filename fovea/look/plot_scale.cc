#include "fovea/look/plot_scale.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"

namespace fovea::look {
namespace {

constexpr double kLargest = 1e300;    // differences of such numbers are still finite
constexpr double kSmallest = 1e-290;  // such a difference can still be cut into steps

// The round number 1, 2 or 5 times a power of ten that is not below `step`.
double round_up(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= step * (1 - 1e-9)) return times * power;
  return 10 * power;
}

// Between ticks; not so small that rounding would move them.
double step_for(double low, double high, int wanted) {
  return round_up(std::max((high - low) / wanted, std::max(std::abs(low), std::abs(high)) * 1e-9));
}

// "-12345.6" as "-12,345.6"
std::string with_commas(const std::string& digits) {
  const size_t first = digits.starts_with('-') ? 1 : 0;
  const size_t point = std::min(digits.find('.'), digits.size());
  return digits.substr(0, first) + grouped(std::stoll(digits.substr(first, point - first))) +
         digits.substr(point);
}

std::string tick_text(double value, double step) {
  if (std::abs(value) >= 1e7 || step < 1e-5) {
    const auto power = [](double v) { return std::floor(std::log10(v) + 1e-9); };
    const double digits = power(std::max(std::abs(value), step)) - power(step) + 1;
    return short_number(value, static_cast<int>(std::clamp(digits, 1.0, 15.0)));
  }
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return with_commas(fmt::format("{:.{}f}", value, decimals));
}

void add_linear_ticks(Scale& scale, double step) {
  const double first = std::ceil(scale.low / step - 1e-6);
  for (double i = first; i * step <= scale.high + step * 1e-6; ++i) {
    const double value = i == 0 ? 0 : i * step;  // no -0
    scale.ticks.push_back({value, tick_text(value, step)});
  }
}

Scale linear(double low, double high, bool from_is_free, bool to_is_free, int wanted, bool round) {
  // Lengths are compared from 0, unless the numbers lie far from it.
  if (from_is_free && low > 0 && low < 0.4 * high) low = 0;
  if (to_is_free && high < 0 && high > 0.4 * low) high = 0;
  if (!(high - low > kSmallest)) {
    const double margin = std::abs(low) < 1e10 * kSmallest ? 1 : std::abs(low) * 0.1;
    low -= from_is_free ? margin : 0;
    high += to_is_free || !from_is_free ? margin : 0;
  }
  const double step = step_for(low, high, wanted);
  Scale scale{low, high, false, {}};
  if (round && from_is_free) scale.low = step * std::floor(low / step + 1e-9);
  if (round && to_is_free) scale.high = step * std::ceil(high / step - 1e-9);
  add_linear_ticks(scale, step);
  return scale;
}

// Powers of ten; where few of them lie in the range, also 2 and 5 times these, or else even steps.
Scale logarithmic(double low, double high, bool from_is_free, bool to_is_free, int wanted, bool round) {
  if (!(low < high * (1 - 1e-12))) {
    if (from_is_free) low /= 2;
    high = to_is_free || !(low < high) ? std::max(low, high) * 2 : high;
  }
  const double decades = std::log10(high / low);
  Scale scale{low, high, true, {}};
  if (decades < 0.7) {
    double step = step_for(low, high, wanted);
    while (step > low) step = round_up(step / 3);
    if (round && from_is_free) scale.low = step * std::floor(low / step + 1e-9);
    if (round && to_is_free) scale.high = step * std::ceil(high / step - 1e-9);
    add_linear_ticks(scale, step);
    return scale;
  }
  const bool fine = decades < 2.5;
  const int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
  std::vector<double> steps;
  for (int power = static_cast<int>(std::floor(std::log10(low))) - every; power <= std::log10(high) + every;
       ++power)
    for (const double times : {1.0, 2.0, 5.0})
      if (times == 1 ? power % every == 0 : fine) steps.push_back(times * std::pow(10.0, power));
  if (round) {
    const auto above = std::upper_bound(steps.begin(), steps.end(), low * (1 + 1e-9));
    if (from_is_free && above != steps.begin()) scale.low = *(above - 1);
    const auto end = std::lower_bound(steps.begin(), steps.end(), high * (1 - 1e-9));
    if (to_is_free && end != steps.end()) scale.high = *end;
  }
  for (const double value : steps)
    if (value >= scale.low * (1 - 1e-9) && value <= scale.high * (1 + 1e-9))
      scale.ticks.push_back({value, value >= 1e-4 && value < 1e7 ? tick_text(value, std::min(value, 1.0))
                                                                 : short_number(value)});
  return scale;
}

}  // namespace

bool is_drawn(double value, bool log) {
  return std::abs(value) <= kLargest && (!log || value > 1 / kLargest);
}

double Scale::share(double value) const {
  return log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

void Extremes::add(double value, bool log) {
  if (!is_drawn(value, log)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Scale scale_for(const Axis& axis, double low, double high, int wanted, bool round) {
  const bool from_is_free = std::isnan(axis.from), to_is_free = std::isnan(axis.to);
  if (!(low <= high)) {  // nothing is drawn
    low = axis.log ? 1 : 0;
    high = axis.log ? 10 : 1;
  }
  if (!from_is_free) low = axis.from;
  if (!to_is_free) high = axis.to;
  if (!from_is_free && to_is_free) high = std::max(high, low);
  if (from_is_free && !to_is_free) low = std::min(low, high);
  return (axis.log ? logarithmic : linear)(low, high, from_is_free, to_is_free, std::max(wanted, 1), round);
}

std::string short_number(double value, int digits) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (!(size >= 1e-4 && size < 1e7)) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    const size_t plus = text.find("e+");
    return plus == std::string::npos ? text : text.erase(plus + 1, 1);
  }
  const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return with_commas(text);
}

void check_plot(const Plot& plot) {
  constexpr std::string_view kWho = "plot";
  fovea::check(!plot.charts.empty(), kWho, "no charts: there is nothing to draw");
  fovea::check(plot.across >= 1 && plot.width >= 200 * plot.across && plot.width <= 10'000, kWho,
               "{} pixels for {} charts side by side: expected 200 or more for each, 10,000 or fewer in all",
               plot.width, plot.across);
  fovea::check(plot.chart_height >= 40 && plot.chart_height <= 10'000, kWho,
               "charts {} pixels high: expected 40 to 10,000", plot.chart_height);
  for (const Chart& chart : plot.charts) {
    fovea::check(!chart.series.empty(), kWho, "a chart without series: there is nothing to draw");
    for (const Series& series : chart.series) {
      if (chart.groups.empty())
        fovea::check(series.x.size() == series.y.size(), kWho,
                     "series '{}' has {} x for {} y: expected as many", series.name, series.x.size(),
                     series.y.size());
      else
        fovea::check(series.y.size() == chart.groups.size(), kWho,
                     "series '{}' has {} numbers for {} groups of bars: expected one for each", series.name,
                     series.y.size(), chart.groups.size());
    }
    for (const Axis* axis : {&chart.x, &chart.y})
      fovea::check((std::isnan(axis->from) || is_drawn(axis->from, axis->log)) &&
                       (std::isnan(axis->to) || is_drawn(axis->to, axis->log)) && !(axis->from >= axis->to),
                   kWho, "axis '{}' from {} to {}: expected ascending numbers{}", axis->name, axis->from,
                   axis->to, axis->log ? " above 0" : "");
  }
}

std::vector<Scale> x_scales(const Plot& plot, int wanted) {
  std::vector<Scale> scales;
  for (const Chart& chart : plot.charts) {
    if (!chart.groups.empty()) {
      scales.emplace_back();
      continue;
    }
    Extremes extremes;
    for (const Chart& other : plot.charts)
      if (other.groups.empty() &&
          (&other == &chart || (!chart.x.name.empty() && other.x.name == chart.x.name)))
        for (const Series& series : other.series)
          for (size_t i = 0; i < series.x.size(); ++i)
            if (is_drawn(series.y[i], other.y.log)) extremes.add(series.x[i], chart.x.log);
    scales.push_back(scale_for(chart.x, extremes.low, extremes.high, wanted, false));
  }
  return scales;
}

Scale y_scale(const Chart& chart, int wanted) {
  Extremes extremes;
  const bool bars = !chart.groups.empty();
  if (bars && !chart.y.log) extremes.add(0, false);
  for (const Series& series : chart.series)
    for (size_t i = 0; i < series.y.size(); ++i)
      if (bars || is_drawn(series.x[i], chart.x.log)) extremes.add(series.y[i], chart.y.log);
  return scale_for(chart.y, extremes.low, extremes.high, wanted, !bars);
}

}  // namespace fovea::look
