// What a user asks of a study.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::study {

inline constexpr double kMinutes = 12;

struct Options {
  std::string out;
  // About how long it takes on two cores: the number of updates grows with it. Where they are slower, trials are cut short in time,
  // and a finding says so.
  double minutes = kMinutes;
  std::vector<std::string>
      data;  // two files of the user's own, as the study takes them; none: the built-in corpus
  int64_t seed = 1, threads = 0;
};

// A study in a hurry is content with fewer tests than `most`.
int64_t tests_in_time(int64_t most, double minutes);

}  // namespace fovea::study
