#include "fovea/train/run.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/resident.h"
#include "fovea/base/staged_directory.h"
#include "fovea/models/table.h"
#include "fovea/train/keep.h"
#include "fovea/train/metrics_log.h"
#include "fovea/train/model_config.h"
#include "fovea/train/report.h"
#include "fovea/train/run_data.h"
#include "fovea/train/validator.h"

namespace fovea::train {
namespace {

constexpr std::string_view kWho = "train";

// Says, in one line each, what changed; throws for what cannot.
void check_changes(const Settings& was, const Settings& is, const std::string& out,
                   const std::function<void(const std::string&)>& say) {
  for (const Difference& d : differences(was, is)) {
    if (d.setting->rules.change == Setting::Change::kNever)
      fail(kWho,
           "--{} is \"{}\", and the run in {} began with \"{}\": a run cannot change it; leave it out, or "
           "choose another --out",
           d.setting->key, d.is, out, d.was);
    if (d.setting->key != std::string_view("out"))
      say(fmt::format("--{} is now {}; it was {}", d.setting->key, d.is, d.was));
  }
}

models::Model new_model(const RunData& data, const Settings& settings) {
  const Tokenizers tokenizers = learn_tokenizers(data.train, settings);
  const nlohmann::json config = model_config(settings, tokenizers.source->size(), tokenizers.target->size());
  return {models::make_model(config, static_cast<uint64_t>(settings.seed)), tokenizers.source,
          tokenizers.target};
}

// The noise of its training is that of the run's seed, which load_model() does not know.
models::Model saved_model(const std::string& path, const Settings& settings) {
  models::Model model = models::load_model(path);
  model.net = models::make_model(model.net->config(), static_cast<uint64_t>(settings.seed));
  models::load_weights(*model.net, models::WeightFiles(path));
  return model;
}

int64_t count_parameters(models::Seq2Seq& net) {
  int64_t count = 0;
  for (const nn::Parameter* parameter : net.parameters()) count += parameter->value.size();
  return count;
}

std::string ending_line(const RunResult& result) {
  const RunState& state = result.state;
  const char* how = result.ending == Ending::kDone    ? "done"
                    : result.ending == Ending::kEarly ? "stopped early: no new best"
                                                      : "stopped and saved";
  std::string text = fmt::format("{} : Up. {} : {:.2f} epochs : {} of training", how,
                                 with_commas(state.update), state.epochs, readable_time(state.seconds));
  for (const auto& [metric, best] : state.best)
    text += fmt::format(" : best {} {:.4f} at Up. {}", metric, best.value, with_commas(best.update));
  if (state.skipped > 0) text += fmt::format(" : {} updates skipped", state.skipped);
  return text + fmt::format(" : peak memory {} MiB", resident_peak_bytes() >> 20);
}

}  // namespace

RunDirectory::RunDirectory(const std::string& path) : path_(path), lock_(path, kWho) {
  if (::access(path.c_str(), W_OK | X_OK) != 0) fail(kWho, "{}: {}", path, std::strerror(errno));
  recover_directory(path + "/best", kWho);
  if (find_checkpoint(last())) state_ = load_state(last());
}

RunResult run(const RunDirectory& directory, const Settings& settings, const RunHooks& hooks) {
  check_together(settings);
  check_files(settings);
  set_threads(static_cast<int>(settings.threads));
  const auto say = [&](const std::string& text) {
    for (Listener* listener : hooks.listeners) listener->said(text);
  };

  RunResult result;
  RunState& state = result.state;
  result.went_on = directory.state().has_value();
  if (result.went_on) {
    state = *directory.state();
    check_changes(state.settings, settings, directory.path(), say);
  }
  state.settings = settings;
  state.settings.out = directory.path();

  RunData data = load_data(settings);
  result.model = result.went_on ? saved_model(directory.last(), settings) : new_model(data, settings);
  const data::Dataset dataset(data.train, *result.model.source, *result.model.target, settings.max_length);
  data.train = {};
  std::optional<Validator> validator;
  if (!data.valid.empty())
    validator.emplace(result.model, data.valid, settings, translate_with(result.model, settings));
  say(fmt::format("training on {}; validation on {}", dataset.report().summary(),
                  validator ? validator->report().summary() : "nothing"));
  say(fmt::format("{} with {} parameters, vocabularies of {} and {}", settings.model,
                  with_commas(count_parameters(*result.model.net)),
                  with_commas(result.model.net->source_vocab()),
                  with_commas(result.model.net->target_vocab())));

  Optimizer optimizer = make_optimizer(settings);
  if (result.went_on) {
    check(state.data == dataset.fingerprint(), kWho,
          "the training data is not what the run in {} began with: bring it back as it was, or choose "
          "another --out",
          directory.path());
    check(state.valid_data == data.valid_checksum(), kWho,
          "the validation data is not what the run in {} began with: bring it back as it was, or choose "
          "another --out",
          directory.path());
    optimizer.load_state(load_optimizer(directory.last()));
    drop_snapshots_after(directory.path(), state.update);
    say(fmt::format("goes on from update {} of {}", with_commas(state.update), directory.last()));
  }
  state.data = dataset.fingerprint();
  state.valid_data = data.valid_checksum();

  MetricsLog metrics(directory.path() + "/metrics.jsonl", result.went_on ? &state : nullptr);
  LoopParts parts{.net = *result.model.net,
                  .data = dataset,
                  .files = models::describe(result.model),
                  .validate = {},
                  .stop = hooks.stop,
                  .listeners = {&metrics}};
  if (validator) parts.validate = std::move(*validator);
  data.valid = {};
  parts.listeners.insert(parts.listeners.end(), hooks.listeners.begin(), hooks.listeners.end());
  result.ending = train_loop(parts, optimizer, state);
  say(ending_line(result));
  return result;
}

}  // namespace fovea::train
