// A whole run: data, tokenizers, a model, training, in one directory. The command and the studies train by this.
//
//   train::RunDirectory directory(settings.out);
//   const train::RunResult result = train::run(directory, settings);
//   result.model.net->...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/directory_lock.h"
#include "fovea/models/model_dir.h"
#include "fovea/train/loop.h"

namespace fovea::train {

// A run's directory, held against other processes. What a kill may have left unfinished in it is put right.
class RunDirectory {
 public:
  // Makes the directory where there is none. Throws where it cannot be written, where another process has it, and for a
  // checkpoint that is damaged.
  explicit RunDirectory(const std::string& path);

  const std::string& path() const { return path_; }
  std::string last() const { return path_ + "/last"; }
  // The state of the run that is there.
  const std::optional<RunState>& state() const { return state_; }

 private:
  std::string path_;
  DirectoryLock lock_;
  std::optional<RunState> state_;
};

struct RunHooks {
  StopRequested stop = {};
  std::vector<Listener*> listeners = {};
  Keys open = {};  // settings that nobody gave: a new run fits them to its data (fit_to_data.h)
};

struct RunResult {
  Ending ending = Ending::kDone;
  RunState state;
  models::Model model;   // as in last/
  bool went_on = false;  // the directory held a run
};

// The settings of a new run, with those that are `open` fitted to the data.
Settings fitted(const Settings& settings, const Keys& open);

// Trains, or goes on where the run in the directory stopped. Settings that a run cannot change must be as it began.
RunResult run(const RunDirectory& directory, const Settings& settings, const RunHooks& hooks = {});

}  // namespace fovea::train
