// What a person sees of a run: Marian's lines, or a progress bar on a terminal.
//   [2026-11-16 12:00:00] Ep. 1 : Up. 100 : Sen. 6,400 : Cost 5.1234 : Time 2.31s : 8123.4 words/s : gNorm 1.2100 : L.r. 2.0000e-03
//   [2026-11-16 12:00:05] [valid] Ep. 1 : Up. 100 : bleu : 12.3400 : new best
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "fovea/train/listener.h"

namespace fovea::train {

// Numbers as people read them.
std::string readable_time(double seconds);  // 42s, 3m12s, 2h05m

// The lines above, without their date.
std::string train_line(const RunState& state, const Updated& last);
std::string valid_line(const RunState& state, const Measured& measured, int64_t stalled);
// "Up. 1,200  Ep. 2  [####......]  43 %  cost 2.1342  8,123 words/s  3m12s left". Fewer than `columns` columns: the bar gets
// shorter, then parts are left out, so that a carriage return goes back to the beginning of the line. `left` in seconds,
// negative where it is not known.
std::string bar_line(const RunState& state, double words_per_second, double left, int columns);

class Report : public Listener {
 public:
  // A line and its newline, as they are written.
  using AsWritten = std::function<std::string(std::string_view)>;
  // `bar`: `out` is a terminal. `as_written`: breaks lines that are longer than it is wide. A log that cannot be written does not stop a
  // run.
  Report(std::FILE* out, bool bar, AsWritten as_written)
      : out_(out), bar_(bar), as_written_(std::move(as_written)) {}
  ~Report() override;

  void began(const RunState& state) override;
  void updated(const RunState& state, const Updated& last) override;
  void displayed(const RunState& state, const Updated& last) override;
  void validated(const RunState& state, const Validation& validation) override;
  void said(std::string_view text) override;

 private:
  void line(const std::string& text);
  void write(const std::string& text);

  using Clock = std::chrono::steady_clock;
  std::FILE* out_;
  bool bar_;
  AsWritten as_written_;
  bool bar_shown_ = false;
  Progress start_;  // where this process began
  Clock::time_point began_ = Clock::now(), drawn_{};
};

}  // namespace fovea::train
