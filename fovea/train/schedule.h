// How the learning rate changes: a factor as a function of how far the run is, so that one that was stopped goes on with
// the same. Each begins with a warm-up: during the first `warmup` updates the factor is u / warmup.
//   constant   1
//   inv-sqrt   sqrt(warmup / u); without a warm-up sqrt(1 / u)
//   cosine     f + (1 - f) (1 + cos(pi x)) / 2, where x goes from 0 to 1 while the schedule lasts (in updates: from the end of the warm-up on);
//              the floor f from then on
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fovea/train/amount.h"

namespace fovea::train {

struct Schedule {
  const char* name;
  // After the warm-up.
  double (*factor)(int64_t update, int64_t warmup, double x);
  bool needs_length;
};
std::span<const Schedule> schedule_table();
// Throws for an unknown name, and names the nearest.
const Schedule& schedule_named(std::string_view name);

// Of the update after `done`: what the learning rate is multiplied by. In epochs or time, x is the share of `length` that is done:
// nobody knows how many of them the warm-up takes.
double schedule_factor(const Schedule& schedule, const Progress& done, int64_t warmup, const Amount& length,
                       double floor = 0);

}  // namespace fovea::train
