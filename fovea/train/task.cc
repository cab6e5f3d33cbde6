#include "fovea/train/task.h"

namespace fovea::train {

std::unique_ptr<Task> make_task(const Settings& settings, const std::string& directory) {
  if (settings.model == "gpt") return language_task(settings, directory);
  if (settings.model == "bert") return reading_task(settings);
  return translation_task(settings);
}

}  // namespace fovea::train
