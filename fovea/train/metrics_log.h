// OUT/metrics.jsonl: one JSON object a line.
//   {"kind": "train", "update": 100, "epoch": 1, "sentences": 6400, "tokens": 80211, "cost": 5.1234, "seconds": 2.31, "words_per_second": 8123.4,
//    "gradient_norm": 1.21, "learn_rate": 0.002, "minutes": 0.04, "skipped": 0}
//   {"kind": "valid", "update": 100, "epoch": 1, "minutes": 0.04, "metrics": {"cross-entropy": 4.2, "bleu": 1.3}, "best": true, "stalled": 0,
//    "seconds": 1.2}
// A number that is not finite is null.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fovea/base/open_file.h"
#include "fovea/train/listener.h"

namespace fovea::train {

class MetricsLog : public Listener {
 public:
  // Adds to the file. Updates and validations after those of `resumed` (null: all), which a run that goes on from there writes again,
  // are cut off, and so is a line that a kill left unfinished.
  MetricsLog(std::string path, const RunState* resumed);
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  void displayed(const RunState& state, const Updated& last) override;
  void validated(const RunState& state, const Validation& validation) override;
  void saving(const RunState& state) override;

 private:
  void append(const nlohmann::ordered_json& line);

  std::string path_;
  OpenFile file_;
};

}  // namespace fovea::train
