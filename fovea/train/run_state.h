// Where a run is: everything beside weights and moments that it needs to go on as if it had never stopped. Random numbers need nothing:
// each is a function of the seed and of one of these counters.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fovea/data/batches.h"
#include "fovea/train/amount.h"
#include "fovea/train/settings.h"

namespace fovea::train {

// Sums over updates.
struct Tally {
  double cross_entropy = 0, seconds = 0;
  int64_t tokens = 0;  // of targets

  double cost() const { return tokens > 0 ? cross_entropy / static_cast<double>(tokens) : 0; }
  double words_per_second() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }
};

// The best value of a metric, and when it was.
struct Best {
  double value = 0;
  int64_t update = 0;
};

struct RunState {
  int64_t update = 0;       // updates made, those that were skipped included
  data::Position position;  // of the batch that comes next
  double epochs = 0;        // the same as a number: 2.5 is in the middle of the third one
  int64_t batches = 0;      // all that were seen: the step of the model's noise
  int64_t sentences = 0;    // seen in this epoch
  int64_t tokens = 0;       // seen in all, of targets
  double seconds = 0;       // of training: in updates
  Tally shown;              // since the last line of the log

  int64_t skipped = 0, skipped_in_a_row = 0;  // updates whose loss or gradient was not finite

  bool valid_due = false;            // a validation was to come after this update, and has not been finished
  int64_t validated = -1;            // the update of the newest one
  std::map<std::string, Best> best;  // by metric
  int64_t stalled = 0;               // validations since the newest best

  uint64_t data = 0;        // Dataset::fingerprint() of the training pairs
  uint32_t valid_data = 0;  // checksum of the validation pairs
  Settings settings;

  Progress progress() const { return {update, epochs, seconds / 60}; }
  // The epoch of the newest batch, from 1.
  int64_t epoch() const { return position.epoch + (position.batch > 0 || update == 0 ? 1 : 0); }
};

nlohmann::json to_json(const RunState& state);
// Throws where something is missing or of another type; `source` stands in the message.
RunState state_from(const nlohmann::json& json, std::string_view source);

}  // namespace fovea::train
