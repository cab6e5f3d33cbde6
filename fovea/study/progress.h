// What a person sees of a study while it runs: a bar on a terminal, otherwise a line now and then.
//   [study] 3/12 additive: 50 %, cost 0.4118, 24s left; the study: 9m12s left
#pragma once

#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "fovea/study/trial.h"
#include "fovea/train/listener.h"

namespace fovea::study {

class Progress : public train::Listener {
 public:
  // `bar`: `out` is a terminal. Progress that cannot be written does not stop a study.
  Progress(std::FILE* out, bool bar) : out_(out), bar_(bar) {}
  ~Progress() override;

  // Something about the study, in one line.
  void say(std::string_view text);
  // The trial that comes next. The trials must outlive its training.
  void next(std::span<const Trial> trials, size_t index);
  void testing();
  // `quality`: what the test found.
  void tested(const train::RunState& state, std::string_view quality);

  void began(const train::RunState& state) override;
  void updated(const train::RunState& state, const train::Updated& last) override;

 private:
  // What stands in front: "3/12 additive".
  std::string title() const;
  // "50 %, cost 0.4118, 24s left; the study: 9m12s left"
  std::string standing(const train::RunState& state) const;
  void write(const std::string& text);
  void show(const std::string& text);

  using Clock = std::chrono::steady_clock;
  std::FILE* out_;
  bool bar_, bar_shown_ = false;
  std::span<const Trial> trials_;
  size_t index_ = 0;
  double start_ = 0;  // the share of the training that was done before this process
  int quarter_ = 0;   // of the training that was told last
  Clock::time_point began_{}, drawn_{};
};

}  // namespace fovea::study
