#include "fovea/train/task.h"

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/models/table.h"
#include "fovea/train/model_config.h"

namespace fovea::train {
namespace {

constexpr int64_t kSomeVocab = 8, kSomeSide = 4096, kUsualSide = 32;

std::string readable_bytes(int64_t bytes) {
  constexpr int64_t kKilo = 1000, kMega = 1'000'000;
  return bytes < kMega ? fmt::format("{} KB", (bytes + kKilo - 1) / kKilo)
                       : fmt::format("{} MB", grouped((bytes + kMega / 2) / kMega));
}

constexpr TaskKind kTable[] = {
    {models::Learns::kPairs,
     [](const Settings& settings, const std::string&) { return translation_task(settings); },
     [](const Settings& settings) { return model_config(settings, kSomeVocab, kSomeVocab); }},
    {models::Learns::kText, language_task,
     [](const Settings& settings) { return language_config(settings, kSomeVocab, {}); }},
    {models::Learns::kLines,
     [](const Settings& settings, const std::string&) { return reading_task(settings); },
     [](const Settings& settings) { return reading_config(settings, kSomeVocab, {}, {"a"}); }},
    {models::Learns::kLabelledPictures,
     [](const Settings& settings, const std::string&) { return labelling_task(settings); },
     [](const Settings& settings) {
       const int64_t side = kSomeSide / settings.patch_size * settings.patch_size;  // of whole patches
       return labelling_config(settings, side, 1, {"a"});
     }},
    {models::Learns::kCaptionedPictures,
     [](const Settings& settings, const std::string&) { return captioning_task(settings); },
     [](const Settings& settings) { return captioning_config(settings, kUsualSide, 3, kSomeVocab, {}); }},
};

}  // namespace

std::string Task::fit(const Keys& open) {
  const DataSize data = size();
  check(data.lines > 0 || settings_.train_sets.empty(), "train", "{}: there is nothing to learn from",
        fmt::join(settings_.train_sets, ", "));
  const std::string flags = fit_to_data(settings_, open, data);
  if (flags.empty()) return "";
  const models::Learns learns = models::model_named(settings_.model).learns;
  if (models::looks_at_pictures(learns))
    return fmt::format("fitted to {} pictures: {}", grouped(data.lines), flags);
  return fmt::format("fitted to {} {}, {} of text: {}", grouped(data.lines),
                     learns == models::Learns::kPairs ? "pairs" : "lines", readable_bytes(data.all_bytes),
                     flags);
}

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
