#include "fovea/train/task.h"

#include "fovea/models/table.h"
#include "fovea/train/model_config.h"

namespace fovea::train {
namespace {

constexpr int64_t kSomeVocab = 8;

constexpr TaskKind kTable[] = {
    {models::Learns::kPairs,
     [](const Settings& settings, const std::string&) { return translation_task(settings); },
     [](const Settings& settings) { return model_config(settings, kSomeVocab, kSomeVocab); }},
    {models::Learns::kText, language_task,
     [](const Settings& settings) { return language_config(settings, kSomeVocab, {}); }},
    {models::Learns::kLines,
     [](const Settings& settings, const std::string&) { return reading_task(settings); },
     [](const Settings& settings) { return reading_config(settings, kSomeVocab, {}, {"a"}); }},
};

}  // namespace

const TaskKind& task_of(std::string_view model) {
  const models::Learns learns = models::model_named(model).learns;
  for (const TaskKind& task : kTable)
    if (task.from == learns) return task;
  fail("train", "there is no task for a {}", model);
}

std::unique_ptr<Task> make_task(const Settings& settings, const std::string& directory) {
  return task_of(settings.model).make(settings, directory);
}

}  // namespace fovea::train
