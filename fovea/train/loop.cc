#include "fovea/train/loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/train/keep.h"
#include "fovea/train/schedule.h"
#include "fovea/train/update.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kMostSkippedInARow = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Loop {
 public:
  Loop(LoopParts& parts, Optimizer& optimizer, RunState& state)
      : parts_(parts),
        settings_(state.settings),
        optimizer_(optimizer),
        state_(state),
        stream_(parts.batches),
        updater_(
            parts.net, optimizer,
            {.label_smoothing = static_cast<float>(settings_.label_smoothing),
             .guided =
                 settings_.guided_alignment.empty() ? 0.0f : static_cast<float>(settings_.guided_weight)}),
        schedule_(schedule_named(settings_.lr_schedule)),
        length_(settings_.lr_length.count > 0 ? settings_.lr_length : settings_.after),
        batches_(static_cast<size_t>(settings_.optimizer_delay)) {}

  Ending run() {
    tell([&](Listener& l) { l.began(state_); });
    if (state_.update == 0) save("last");  // finds out now whether it can
    while (true) {
      const std::optional<Ending> end = ending();
      if (end && state_.validated != state_.update) state_.valid_due = true;
      if (state_.valid_due && !validate()) return stop();
      if (end || ending()) return finish();
      if (save_due_) save("last");
      if (stop_requested()) return stop();
      update();
    }
  }

 private:
  template <typename F>
  void tell(F&& f) {
    for (Listener* listener : parts_.listeners) f(*listener);
  }

  bool stop_requested() const { return parts_.stop && parts_.stop(); }

  std::optional<Ending> ending() const {
    if (settings_.early_stopping > 0 && state_.stalled >= settings_.early_stopping) return Ending::kEarly;
    if (settings_.after.reached(state_.progress())) return Ending::kDone;
    return {};
  }

  Ending finish() {
    if (changed_) save("last");
    return *ending();
  }
  Ending stop() {
    if (changed_) save("last");
    return Ending::kStopped;
  }

  void update() {
    const Progress before = state_.progress();
    const auto start = Clock::now();
    for (data::Batch& batch : batches_) {
      if (stream_.position().batch == 0) state_.sentences = 0;
      batch = stream_.next();
      state_.sentences += batch.rows();
    }
    const double factor = schedule_factor(schedule_, before, static_cast<int64_t>(settings_.lr_warmup.count),
                                          length_, settings_.lr_floor);
    const double done = length_.count > 0 ? std::min(1.0, length_.measure(before) / length_.count) : 0;
    const Updated result = updater_(batches_, state_.batches, settings_.learn_rate * factor, done);
    count(result, seconds_since(start));

    const Progress now = state_.progress();
    state_.valid_due = parts_.validate && settings_.valid_freq.passed(before, now);
    save_due_ = settings_.save_freq.passed(before, now);
    tell([&](Listener& l) { l.updated(state_, result); });
    if (settings_.disp_freq.passed(before, now)) {
      tell([&](Listener& l) { l.displayed(state_, result); });
      state_.shown = {};
    }
    if (result.skipped) complain();
  }

  void count(const Updated& result, double seconds) {
    changed_ = true;
    ++state_.update;
    state_.batches += static_cast<int64_t>(batches_.size());
    state_.position = stream_.position();
    state_.epochs = static_cast<double>(state_.position.epoch) +
                    static_cast<double>(state_.position.batch) / static_cast<double>(stream_.epoch_size());
    state_.seconds += seconds;
    state_.shown.seconds += seconds;
    if (result.skipped) {
      ++state_.skipped;
      ++state_.skipped_in_a_row;
      return;
    }
    state_.skipped_in_a_row = 0;
    state_.tokens += result.tokens;
    state_.shown.tokens += result.tokens;
    state_.shown.cross_entropy += result.cross_entropy;
  }

  void complain() {
    if (state_.skipped_in_a_row < kMostSkippedInARow) {
      tell([&](Listener& l) {
        l.said(fmt::format("update {} was skipped: its loss or gradient was not finite ({} so far)",
                           state_.update, state_.skipped));
      });
      return;
    }
    fail("train",
         "{} updates in a row, up to {}, had a loss or gradient that was not finite: try a lower "
         "--learn-rate (it is {}), a longer "
         "--lr-warmup, or --clip-norm 1; {}/last is from before",
         kMostSkippedInARow, state_.update, settings_.learn_rate, settings_.out);
  }

  // False where it was told to stop.
  bool validate() {
    const auto start = Clock::now();
    if (!parts_.validate) {
      state_.valid_due = false;
      return true;
    }
    const std::optional<std::vector<double>> values =
        parts_.validate(parts_.stop ? parts_.stop : [] { return false; });
    if (!values) return false;
    Validation result;
    const std::string& decides =
        settings_.early_stopping_on.empty() ? settings_.valid_metrics.front() : settings_.early_stopping_on;
    for (size_t i = 0; i < values->size(); ++i) {
      const std::string& name = settings_.valid_metrics[i];
      const double value = (*values)[i];
      const auto best = state_.best.find(name);
      const bool is_best =
          std::isfinite(value) &&
          (best == state_.best.end() || is_better(valid_metric_named(name), value, best->second.value));
      if (is_best) state_.best[name] = {value, state_.update};
      if (name == decides) result.best = is_best;
      result.values.push_back({name, value, is_best, name == decides});
    }
    break_tie(result);
    state_.stalled = result.best ? 0 : state_.stalled + 1;
    changed_ = true;
    state_.validated = state_.update;
    state_.valid_due = false;
    result.stalled = state_.stalled;
    result.seconds = seconds_since(start);
    tell([&](Listener& l) { l.validated(state_, result); });
    if (result.best) save("best");
    if (settings_.keep_last > 0)
      keep_snapshot(settings_.out, state_.update, settings_.keep_last,
                    {.files = parts_.files, .weights = models::weights_of(parts_.net), .optimizer = {}});
    return true;
  }

  // While the metric that decides is still 0 (BLEU is, for a long time or for ever, where lines are very short), a new best of another
  // one counts.
  void break_tie(Validation& result) {
    const auto decider =
        std::find_if(result.values.begin(), result.values.end(), [](const Measured& m) { return m.decides; });
    const bool other =
        std::any_of(result.values.begin(), result.values.end(), [](const Measured& m) { return m.best; });
    const auto best = state_.best.find(decider->metric);
    if (result.best || !other || best == state_.best.end() || best->second.value != 0 || decider->value != 0)
      return;
    best->second.update = state_.update;
    decider->best = result.best = true;
  }

  void save(const char* name) {
    tell([&](Listener& l) { l.saving(state_); });
    save_checkpoint(settings_.out + "/" + name, {.files = parts_.files,
                                                 .weights = models::weights_of(parts_.net),
                                                 .optimizer = optimizer_.state(),
                                                 .state = &state_});
    if (name == std::string_view("last")) {
      changed_ = false;
      save_due_ = false;
    }
  }

  LoopParts& parts_;
  const Settings& settings_;
  Optimizer& optimizer_;
  RunState& state_;
  data::BatchStream& stream_;
  Updater updater_;
  const Schedule& schedule_;
  Amount length_;  // of the schedule, and of what else changes with the run
  std::vector<data::Batch> batches_;
  bool save_due_ = false;
  bool changed_ = false;  // since last/ was saved
};

}  // namespace

data::BatchOptions batch_options(const Settings& settings) {
  return {.tokens = settings.mini_batch_words,
          .rows = settings.mini_batch,
          .seed = static_cast<uint64_t>(settings.seed)};
}

Optimizer make_optimizer(const Settings& settings) {
  return Optimizer({.name = settings.optimizer,
                    .learning_rate = static_cast<float>(settings.learn_rate),
                    .weight_decay = static_cast<float>(settings.weight_decay),
                    .decay_vectors = models::model_named(settings.model).decay_vectors,
                    .clip_norm = static_cast<float>(settings.clip_norm),
                    .beta1 = static_cast<float>(settings.adam_beta1),
                    .beta2 = static_cast<float>(settings.adam_beta2),
                    .eps = static_cast<float>(settings.adam_eps),
                    .momentum = static_cast<float>(settings.momentum)});
}

Ending train_loop(LoopParts& parts, Optimizer& optimizer, RunState& state) {
  return Loop(parts, optimizer, state).run();
}

}  // namespace fovea::train
