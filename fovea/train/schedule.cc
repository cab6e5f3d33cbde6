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

double constant(int64_t, int64_t, int64_t) { return 1; }

double inverse_sqrt(int64_t update, int64_t warmup, int64_t) {
  return std::sqrt(static_cast<double>(std::max<int64_t>(warmup, 1)) / static_cast<double>(update));
}

double cosine(int64_t update, int64_t warmup, int64_t length) {
  if (update >= length) return 0;
  const double x = static_cast<double>(update - warmup) / static_cast<double>(length - warmup);
  return (1 + std::cos(std::numbers::pi * x)) / 2;
}

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
  fail("schedule", "there is no {}: did you mean '{}'?", quote(name), nearest(name, names, 1).front());
}

double schedule_factor(const Schedule& schedule, int64_t update, int64_t warmup, int64_t length) {
  if (update <= warmup) return static_cast<double>(update) / static_cast<double>(warmup);
  return schedule.factor(update, warmup, length);
}

}  // namespace fovea::train
