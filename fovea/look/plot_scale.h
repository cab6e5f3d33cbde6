// How the numbers of a plot lie along an axis.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/plot.h"

namespace fovea::look {

// Finite, small enough to compute with, and positive on a logarithmic axis.
bool is_drawn(double value, bool log);

struct Tick {
  double value = 0;
  std::string text;
};

struct Scale {
  double low = 0, high = 1;  // low < high
  bool log = false;
  std::vector<Tick> ticks;  // ascending, all from low to high

  // 0 at low, 1 at high. `value` is_drawn; it may lie outside.
  double share(double value) const;
};

// Ticks at 1, 2 or 5 times a power of ten, about `wanted` of them. `low` and `high` are the extremes of what is drawn
// (infinite and the wrong way round where there is nothing); `round`: the ends move outwards to ticks.
Scale scale_for(const Axis& axis, double low, double high, int wanted, bool round);

// "12,500", "0.25", "1e-07": as short as the number allows, to `digits` significant ones.
std::string short_number(double value, int digits = 4);

// The range of the numbers that x (or y) has in charts that share an axis.
struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value, bool log);
};

// Throws what to_svg() and to_terminal() throw.
void check_plot(const Plot& plot);
// For each chart the scale of its x axis, shared by name; charts of bars have none (default).
std::vector<Scale> x_scales(const Plot& plot, int wanted);
Scale y_scale(const Chart& chart, int wanted);

}  // namespace fovea::look
