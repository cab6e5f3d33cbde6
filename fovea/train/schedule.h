// How the learning rate changes: a factor as a function of the update alone, so that a run that was stopped goes on with
// the same. Each begins with a warm-up: during the first `warmup` updates the factor is u / warmup.
//   constant   1
//   inv-sqrt   sqrt(warmup / u); without a warm-up sqrt(1 / u)
//   cosine     (1 + cos(pi x)) / 2, where x goes from 0 at the end of the warm-up to 1 at update `length`, and stays 0 then
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fovea::train {

struct Schedule {
  const char* name;
  // After the warm-up.
  double (*factor)(int64_t update, int64_t warmup, int64_t length);
  bool needs_length;
};
std::span<const Schedule> schedule_table();
// Throws for an unknown name, and names the nearest.
const Schedule& schedule_named(std::string_view name);

// Of update u = 1, 2, ...: what the learning rate is multiplied by.
double schedule_factor(const Schedule& schedule, int64_t update, int64_t warmup, int64_t length);

}  // namespace fovea::train
