// What a run learns from, and how it is judged, by its kind of model: pairs of lines, a long text, lines to be read, pictures.
#pragma once

#include <memory>
#include <string>

#include "fovea/data/batches.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/train/fit_to_data.h"
#include "fovea/train/loop.h"
#include "fovea/train/settings.h"

namespace fovea::train {

class Task {
 public:
  explicit Task(const Settings& settings) : settings_(settings) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() = default;

  const Settings& settings() const { return settings_; }
  // What there is to learn from. Called before new_model() alone.
  virtual DataSize size() = 0;
  // Before new_model(): chooses the settings that are `open` (fit_to_data.h). Returns one line that says so; nothing where none changed.
  std::string fit(const Keys& open);

  // Tokenizers learned from the data, and first weights.
  virtual models::Model new_model() = 0;
  // Encodes the data for the model; before any of the following.
  virtual void prepare(const models::Model& model) = 0;
  virtual std::unique_ptr<data::BatchStream> batches(data::Position at) const = 0;
  // Empty: there is nothing to validate on.
  virtual Validate validate() = 0;

  // By these a resumed run knows that its data is the same.
  virtual uint64_t fingerprint() const = 0;
  virtual uint32_t valid_checksum() const = 0;
  // "training on ...; validation on ..."
  virtual std::string summary() const = 0;

 protected:
  Settings settings_;
};

// One task for each thing that models learn from.
struct TaskKind {
  models::Learns from;
  std::unique_ptr<Task> (*make)(const Settings& settings, const std::string& directory);
  // config.json of what the settings ask for, with a small vocabulary: for checks before any data is read.
  nlohmann::json (*some_config)(const Settings& settings);
};
const TaskKind& task_of(std::string_view model);

// `directory`: of the run, for what is too large for memory.
std::unique_ptr<Task> make_task(const Settings& settings, const std::string& directory);

std::unique_ptr<Task> translation_task(const Settings& settings);
std::unique_ptr<Task> language_task(const Settings& settings, const std::string& directory);
std::unique_ptr<Task> reading_task(const Settings& settings);
std::unique_ptr<Task> labelling_task(const Settings& settings);
std::unique_ptr<Task> captioning_task(const Settings& settings);

}  // namespace fovea::train
