// The training loop: updates, validations, checkpoints, until it is done or told to stop.
//
// Everything it does is a function of the settings, the data and the state: a run that was stopped, or killed, and goes on from
// its newest checkpoint ends with the same bits as one that never was. (Amounts of time are the exception: they depend on the machine.)
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fovea/data/batches.h"
#include "fovea/models/net.h"
#include "fovea/train/checkpoint.h"
#include "fovea/train/listener.h"
#include "fovea/train/optimizer.h"
#include "fovea/train/run_state.h"

namespace fovea::train {

using StopRequested = std::function<bool()>;

// One value for each of --valid-metrics; nothing where it was told to stop before it was done.
using Validate = std::function<std::optional<std::vector<double>>(const StopRequested&)>;

struct LoopParts {
  models::Net& net;
  data::BatchStream& batches;  // from state.position on
  NamedFiles files;            // of a checkpoint, beside weights
  Validate validate;           // empty: there is nothing to validate on
  StopRequested stop;          // asked after each update and within validation; empty: never
  std::vector<Listener*> listeners;
};

enum class Ending : uint8_t {
  kDone,     // --after was reached
  kEarly,    // by --early-stopping
  kStopped,  // by stop()
};

// Trains from `state` on, whose settings are those of the run: with update 0 from the weights as they are, otherwise
// `net` and `optimizer` are as they were saved with the state. Writes OUT/last, OUT/best and OUT/keep. The state becomes that of the end.
Ending train_loop(LoopParts& parts, Optimizer& optimizer, RunState& state);

// As the settings say.
Optimizer make_optimizer(const Settings& settings);
data::BatchOptions batch_options(const Settings& settings);

}  // namespace fovea::train
