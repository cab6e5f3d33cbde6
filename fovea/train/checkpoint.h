// A checkpoint: a directory that holds everything an exact resume needs.
//   model.safetensors, config.json, tokenizers    what translate, look and the others read (models/model_dir.h)
//   optimizer.safetensors                         moments
//   state.json                                    where the run is (run_state.h)
//   manifest.json                                 sizes and checksums of all these (base/staged_directory.h)
// Whoever reads it, at any moment, finds the old one whole or the new one.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fovea/tensor/safetensors.h"
#include "fovea/train/run_state.h"

namespace fovea::train {

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

// The parts of one. Tensors are handles: nothing is copied.
struct Checkpoint {
  NamedFiles files;  // config.json, tokenizers
  std::vector<NamedTensor> weights;
  std::vector<NamedTensor> optimizer = {};  // none, and no state, in one that is only kept for averaging
  const RunState* state = nullptr;
};

// Puts it in the place of the one at `path`. Throws when it cannot be written, and then the old one is as it was.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// Puts right what a kill left at `path`; true when there is a checkpoint, every byte of which is as it was saved.
bool find_checkpoint(const std::string& path);

RunState load_state(const std::string& path);
std::vector<NamedTensor> load_optimizer(const std::string& path);

}  // namespace fovea::train
