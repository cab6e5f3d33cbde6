#include "fovea/study/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "fovea/base/directory_lock.h"
#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/base/json.h"
#include "fovea/look/png.h"
#include "fovea/train/run.h"

namespace fovea::study {

int64_t tests_in_time(int64_t most, double minutes) {
  constexpr double kHurry = 2;
  constexpr int64_t kFewest = 100;
  const auto tests = static_cast<int64_t>(static_cast<double>(most) * minutes / kHurry);
  return std::clamp(tests, std::min(kFewest, most), most);
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
using train::Amount;

constexpr std::string_view kWho = "study";

void check_data(const Kind& kind, const Options& options) {
  check(options.data.empty() || kind.own_data, kWho,
        "{} has a built-in corpus and takes no data of your own: leave out --data", kind.name);
}

// What a directory must agree on with a study that goes on in it.
Json plan_of(const Kind& kind, const Options& options) {
  Json plan = {{"study", kind.name}, {"seed", options.seed}};
  if (!options.data.empty()) plan["data"] = options.data;
  return plan;
}

std::string plan_path(const std::string& dir) { return dir + "/plan.json"; }

void check_plan(const std::string& dir, const Json& plan) {
  if (const std::string path = plan_path(dir); fs::exists(path)) {
    const auto was = parse_json(read_file(path, size_t{1} << 20, kWho), kWho, path);
    check(was == nlohmann::json(plan), kWho,
          "{} holds the study {}, and this one is {}: choose another --out, or remove it", dir, was.dump(),
          nlohmann::json(plan).dump());
  }
}

// The trial's settings with what all trials share.
train::Settings settings_of(const Trial& trial, const Kind& kind, const Options& options,
                            const Subject& subject, const std::string& dir) {
  constexpr double kValidations = 8;
  const double updates =
      std::max(1.0, std::round(static_cast<double>(kind.updates) * options.minutes / kMinutes));
  train::Settings settings = trial.settings;
  settings.out = dir + "/runs/" + trial.name;
  settings.seed = options.seed;
  settings.threads = options.threads;
  settings.after = {updates, 'u'};
  settings.lr_warmup = {std::min(settings.lr_warmup.count, std::floor(updates / 10)), 'u'};
  settings.valid_freq = {std::ceil(updates / kValidations), 'u'};
  settings.disp_freq = {std::ceil(updates / 40), 'u'};
  settings.save_freq = {1, 'm'};
  settings.valid_metrics = {"cross-entropy"};
  settings.early_stopping = 0;
  settings.keep_last = 0;
  subject.add_data(settings);
  return settings;
}

// Trials share the time that is left by what they cost.
class Timetable {
 public:
  explicit Timetable(double minutes) {
    constexpr double kLeastSlack = 2, kSlack = 0.15;
    const double all = minutes + std::max(kLeastSlack, kSlack * minutes);
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double, std::ratio<60>>(all));
  }
  // When trial `index` has to be done, its test included.
  Clock::time_point end_of(std::span<const Trial> trials, size_t index) const {
    constexpr double kTraining = 0.9;
    double left = 0;
    for (const Trial& trial : trials.subspan(index)) left += trial.cost;
    const auto now = Clock::now();
    const std::chrono::duration<double> share = (deadline_ - now) * (kTraining * trials[index].cost / left);
    return now + std::chrono::duration_cast<Clock::duration>(share);
  }

 private:
  Clock::time_point deadline_;
};

Json figures_of(const Kind& kind, const Options& options, const Subject& subject,
                std::span<const Outcome> outcomes, const Report& report) {
  Json json = plan_of(kind, options);
  json["minutes"] = options.minutes;
  json.update(subject.sizes());
  json["findings"] = report.findings;
  for (const Outcome& outcome : outcomes) {
    const train::RunState& state = outcome.state;
    Json trial = {{"name", outcome.trial.name}};
    // What another `fovea train` needs to make the same model.
    for (const train::Difference& d : differences({}, state.settings))
      trial["settings"][d.setting->key] = d.is;
    trial["updates"] = state.update;
    trial["tokens"] = state.tokens;
    trial["quality"] = report.figures.at(outcome.trial.name);
    trial["time"] = {
        {"seconds", state.seconds},
        {"seconds_per_update", state.seconds / static_cast<double>(std::max<int64_t>(1, state.update))},
        {"words_per_second", static_cast<double>(state.tokens) / std::max(state.seconds, 1e-9)}};
    json["trials"].push_back(std::move(trial));
  }
  return json;
}

// All of them, or none.
void write_results(const std::string& dir, const Kind& kind, const Report& report, const Json& figures) {
  const std::string svg = look::to_svg(report.plot);
  PendingFiles files;
  files.add(dir + "/study.json", kWho).write(figures.dump(2) + "\n");
  files.add(dir + "/table.md", kWho).write(to_text(report.table, report.words));
  files.add(fmt::format("{}/{}.svg", dir, kind.name), kWho).write(svg);
  files.add(fmt::format("{}/{}.png", dir, kind.name), kWho).write(look::to_png(svg));
  files.commit();
}

int64_t count_parameters(models::Net& net) {
  int64_t count = 0;
  for (const nn::Parameter* parameter : net.parameters()) count += parameter->value.size();
  return count;
}

}  // namespace

std::optional<Report> run(const Kind& kind, const Options& options, const train::StopRequested& stop,
                          Progress* progress) {
  check_data(kind, options);
  const Timetable timetable(options.minutes);
  const DirectoryLock lock(options.out, kWho);
  const std::string dir = fs::canonical(options.out).string();
  const Json plan = plan_of(kind, options);
  check_plan(dir, plan);
  const std::unique_ptr<Subject> subject = kind.subject(options, dir);
  write_atomically(plan_path(dir), plan.dump() + "\n", kWho);
  const std::vector<Trial> trials = subject->usable(kind.trials());
  if (progress) progress->say(fmt::format("{}: {} trials; {}", kind.name, trials.size(), subject->summary()));

  std::vector<Outcome> outcomes;
  std::vector<std::string> cut;
  for (size_t i = 0; i < trials.size(); ++i) {
    const train::Settings settings = settings_of(trials[i], kind, options, *subject, dir);
    if (progress) progress->next(trials, i);
    const auto end = timetable.end_of(trials, i);
    train::RunHooks hooks;
    hooks.stop = [&] { return (stop && stop()) || Clock::now() > end; };
    if (progress) hooks.listeners = {progress};
    const train::RunDirectory directory(settings.out);
    const train::RunResult trained = train::run(directory, settings, hooks);
    if (stop && stop()) return {};
    if (trained.ending == train::Ending::kStopped)
      cut.push_back(fmt::format("{} ({} of {} updates)", trials[i].name, grouped(trained.state.update),
                                settings.after.text()));

    if (progress) progress->testing();
    Outcome outcome{trials[i], trained.state, count_parameters(*trained.model.net)};
    if (!subject->test(trained, outcome, stop)) return {};
    if (progress) progress->tested(trained.state, subject->text_of(outcome));
    outcomes.push_back(std::move(outcome));
  }

  Report report = kind.report(outcomes);
  if (!cut.empty())
    report.findings.push_back(
        fmt::format("Time was up before training was done for {}: run the same command again to go on.",
                    fmt::join(cut, ", ")));
  write_results(dir, kind, report, figures_of(kind, options, *subject, outcomes, report));
  return report;
}

}  // namespace fovea::study
