#include "fovea/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::train {
namespace {

double constant(int64_t, int64_t, double) { return 1; }

double inverse_sqrt(int64_t update, int64_t warmup, double) {
  return std::sqrt(static_cast<double>(std::max<int64_t>(warmup, 1)) / static_cast<double>(update));
}

double cosine(int64_t, int64_t, double x) { return x >= 1 ? 0 : (1 + std::cos(std::numbers::pi * x)) / 2; }

constexpr Schedule kSchedules[] = {
    {"constant", constant, false},
    {"inv-sqrt", inverse_sqrt, false},
    {"cosine", cosine, true},
};

}  // namespace

std::span<const Schedule> schedule_table() { return kSchedules; }

const Schedule& schedule_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Schedule& schedule : kSchedules) {
    if (schedule.name == name) return schedule;
    names.emplace_back(schedule.name);
  }
  fail("schedule", "there is no {}{}", quote(name), near_or_all(name, names));
}

double schedule_factor(const Schedule& schedule, const Progress& done, int64_t warmup, const Amount& length,
                       double floor) {
  const int64_t update = done.updates + 1;
  if (update <= warmup) return static_cast<double>(update) / static_cast<double>(warmup);
  const auto begin = static_cast<double>(warmup);
  const double x = length.unit == 'u' ? (static_cast<double>(update) - begin) / (length.count - begin)
                                      : length.measure(done) / length.count;
  const double factor = schedule.factor(update, warmup, x);
  return schedule.needs_length ? floor + (1 - floor) * factor : factor;
}

}  // namespace fovea::train
