// Who is told what happens in a run: the log on standard error, metrics.jsonl, a curve.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/train/run_state.h"
#include "fovea/train/update.h"

namespace fovea::train {

struct Measured {
  std::string metric;
  double value = 0;
  bool best = false;     // so far
  bool decides = false;  // what the best checkpoint is, and when to stop early
};

struct Validation {
  std::vector<Measured> values;  // in the order of --valid-metrics
  double seconds = 0;
  bool best = false;    // by the metric that decides
  int64_t stalled = 0;  // validations since the newest best
};

// The state is that after the event.
class Listener {
 public:
  virtual ~Listener() = default;
  // Before the first update of this process.
  virtual void began(const RunState&) {}
  virtual void updated(const RunState&, const Updated&) {}
  // Every --disp-freq; state.shown holds the sums since the last time.
  virtual void displayed(const RunState&, const Updated&) {}
  virtual void validated(const RunState&, const Validation&) {}
  // The state is about to be saved: what was told so far must be on the disk.
  virtual void saving(const RunState&) {}
  // Something that a person should know, in one line.
  virtual void said(std::string_view) {}
};

}  // namespace fovea::train
