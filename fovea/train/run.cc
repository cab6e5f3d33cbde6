#include "fovea/train/run.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/parallel.h"
#include "fovea/base/resident.h"
#include "fovea/base/staged_directory.h"
#include "fovea/models/table.h"
#include "fovea/train/keep.h"
#include "fovea/train/metrics_log.h"
#include "fovea/train/report.h"
#include "fovea/train/run_data.h"
#include "fovea/train/task.h"

namespace fovea::train {
namespace {

// Says, in one line each, what changed; throws for what cannot.
void check_changes(const Settings& was, const Settings& is, const std::string& out,
                   const std::function<void(const std::string&)>& say) {
  for (const Difference& d : differences(was, is)) {
    if (d.setting->rules.change == Setting::Change::kNever)
      fail("train",
           "--{} is \"{}\", and the run in {} began with \"{}\": a run cannot change it; leave it out, or "
           "choose another --out",
           d.setting->key, d.is, out, d.was);
    if (d.setting->key != std::string_view("out"))
      say(fmt::format("--{} is now {}; it was {}", d.setting->key, d.is, d.was));
  }
}

// The noise of its training is that of the run's seed, which loading does not know.
models::Model saved_model(const std::string& path, const Settings& settings) {
  models::Model model = models::load_model(path);
  model.net = models::make_net(model.net->config(), static_cast<uint64_t>(settings.seed));
  models::load_weights(*model.net, *models::open_model(path).weights);
  return model;
}

int64_t count_parameters(models::Net& net) {
  int64_t count = 0;
  for (const nn::Parameter* parameter : net.parameters()) count += parameter->value.size();
  return count;
}

// ", a vocabulary of 6,000"; nothing where there is no text.
std::string vocabularies_of(const models::Model& model) {
  if (!model.source) return "";
  const std::string source = grouped(model.source->size());
  return model.source == model.target
             ? fmt::format(", a vocabulary of {}", source)
             : fmt::format(", vocabularies of {} and {}", source, grouped(model.target->size()));
}

constexpr int64_t kDrawnSeed = -1;

int64_t draw_seed() {
  constexpr int64_t kMost = 1'000'000'000;  // short enough to be typed
  return static_cast<int64_t>(std::random_device()()) % kMost;
}

std::string ending_line(const RunResult& result) {
  const RunState& state = result.state;
  const char* how = result.ending == Ending::kDone    ? "done"
                    : result.ending == Ending::kEarly ? "stopped early: no new best"
                                                      : "stopped and saved";
  std::string text = fmt::format("{} : Up. {} : {:.2f} epochs : {} of training", how, grouped(state.update),
                                 state.epochs, readable_time(state.seconds));
  for (const auto& [metric, best] : state.best)
    text += fmt::format(" : best {} {:.4f} at Up. {}", metric, best.value, grouped(best.update));
  if (state.skipped > 0) text += fmt::format(" : {} updates skipped", state.skipped);
  return text + fmt::format(" : peak memory {} MiB", resident_peak_bytes() >> 20);
}

}  // namespace

RunDirectory::RunDirectory(const std::string& path) : path_(path), lock_(path, "train") {
  if (::access(path.c_str(), W_OK | X_OK) != 0) fail("train", "{}: {}", path, std::strerror(errno));
  recover_directory(path + "/best", "train");
  if (find_checkpoint(last())) state_ = load_state(last());
}

Settings fitted(const Settings& settings, const Keys& open) {
  check_files(settings);
  const std::unique_ptr<Task> task = make_task(settings, settings.out);
  task->fit(open);
  return task->settings();
}

RunResult run(const RunDirectory& directory, const Settings& given, const RunHooks& hooks) {
  check_files(given);
  set_threads(static_cast<int>(given.threads));
  const auto say = [&](const std::string& text) {
    for (Listener* listener : hooks.listeners) listener->said(text);
  };

  RunResult result;
  RunState& state = result.state;
  result.went_on = directory.state().has_value();
  Settings settings = given;
  settings.out = directory.path();
  if (result.went_on) {
    state = *directory.state();
    if (settings.seed == kDrawnSeed) settings.seed = state.settings.seed;
    check_changes(state.settings, settings, directory.path(), say);
  } else if (settings.seed == kDrawnSeed) {
    settings.seed = draw_seed();
    say(fmt::format("--seed {} was drawn; with it the run can be repeated", settings.seed));
  }
  const Keys open = result.went_on ? Keys() : hooks.open;
  check_together(fitted_to_some_data(settings, open));
  const std::unique_ptr<Task> task = make_task(settings, directory.path());
  if (const std::string line = task->fit(open); !line.empty()) say(line);
  settings = task->settings();
  check_together(settings);
  state.settings = settings;
  const models::Model& model = result.model =
      result.went_on ? saved_model(directory.last(), settings) : task->new_model();
  task->prepare(model);
  say(task->summary());
  say(fmt::format("{} with {} parameters{}", settings.model, grouped(count_parameters(*model.net)),
                  vocabularies_of(model)));

  Optimizer optimizer = make_optimizer(settings);
  if (result.went_on) {
    check(state.data == task->fingerprint(), "train",
          "the training data is not what the run in {} began with: bring it back as it was, or choose "
          "another --out",
          directory.path());
    check(state.valid_data == task->valid_checksum(), "train",
          "the validation data is not what the run in {} began with: bring it back as it was, or choose "
          "another --out",
          directory.path());
    optimizer.load_state(load_optimizer(directory.last()));
    drop_snapshots_after(directory.path(), state.update);
    say(fmt::format("goes on from update {} of {}", grouped(state.update), directory.last()));
  }
  state.data = task->fingerprint();
  state.valid_data = task->valid_checksum();

  MetricsLog metrics(directory.path() + "/metrics.jsonl", result.went_on ? &state : nullptr);
  const std::unique_ptr<data::BatchStream> batches = task->batches(state.position);
  LoopParts parts{.net = *model.net,
                  .batches = *batches,
                  .files = models::describe(model),
                  .validate = task->validate(),
                  .stop = hooks.stop,
                  .listeners = {&metrics}};
  parts.listeners.insert(parts.listeners.end(), hooks.listeners.begin(), hooks.listeners.end());
  if (const std::string warning =
          warning_of_warmup(settings, batches->epoch_size() / settings.optimizer_delay);
      !result.went_on && !warning.empty())
    say(warning);
  result.ending = train_loop(parts, optimizer, state);
  say(ending_line(result));
  return result;
}

}  // namespace fovea::train
