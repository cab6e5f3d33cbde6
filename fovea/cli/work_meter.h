// How far a verb that reads lines has come: a line on the terminal while it works, figures at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::cli {

class WorkMeter {
 public:
  // The clock starts. Progress is shown where standard error is a terminal, and neither lines are typed nor results shown there.
  explicit WorkMeter(std::string_view verb);
  ~WorkMeter() { clear(); }
  WorkMeter(const WorkMeter&) = delete;
  WorkMeter& operator=(const WorkMeter&) = delete;

  void add(int64_t lines, int64_t tokens);
  // The progress line is gone: something else may be said.
  void clear();
  // "1,000 lines, 13,456 tokens in 2.31 s: 433 lines/s, 5,825 tokens/s; peak memory 312 MiB"
  std::string summary() const;

 private:
  double seconds() const;

  std::string verb_;
  std::chrono::steady_clock::time_point begin_, shown_;
  int64_t lines_ = 0, tokens_ = 0;
  bool visible_, drawn_ = false;
};

}  // namespace fovea::cli
