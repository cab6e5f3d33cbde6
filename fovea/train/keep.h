// OUT/keep: the weights of the newest validations, for averaging. Each is a model directory, u00001200 after update 1,200.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/train/checkpoint.h"

namespace fovea::train {

// Adds one, and removes all but the newest `count`.
void keep_snapshot(const std::string& out, int64_t update, int64_t count, const Checkpoint& checkpoint);

struct Snapshot {
  int64_t update = 0;
  std::string path;
};
// Those that are complete, oldest first.
std::vector<Snapshot> kept_snapshots(const std::string& out);

// Removes those after `update`: a run that goes on from there writes them again.
void drop_snapshots_after(const std::string& out, int64_t update);

}  // namespace fovea::train
