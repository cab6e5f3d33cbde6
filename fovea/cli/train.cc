// fovea train: trains a model, or goes on with the training of one.
#include <unistd.h>

#include "fovea/base/error.h"
#include "fovea/base/staged_directory.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/stop_signal.h"
#include "fovea/cli/terminal.h"
#include "fovea/cli/train_curve.h"
#include "fovea/cli/train_options.h"
#include "fovea/cli/verbs.h"
#include "fovea/models/table.h"
#include "fovea/train/fit_to_data.h"
#include "fovea/train/report.h"
#include "fovea/train/run.h"
#include "fovea/train/run_data.h"

namespace fovea::cli {
namespace {

// The run that is in --out, if there is one.
bool goes_on(const train::Settings& given) { return !given.out.empty() && is_committed(given.out + "/last"); }

void check_usage(const train::Settings& settings) {
  try {
    check_together(settings);
  } catch (const Error& error) {
    throw UsageError(std::string(error.what()).substr(std::string_view("[train] ").size()));
  }
}

// What to do with the model.
std::string next_step(const train::Settings& settings) {
  const auto learns = models::model_named(settings.model).learns;
  const char* what = learns == models::Learns::kPairs  ? "translate -m {} < source.txt"
                     : learns == models::Learns::kText ? "generate -m {} --prompt \"Once upon a time\""
                     : learns == models::Learns::kLabelledPictures  ? "classify -m {} picture.png"
                     : learns == models::Learns::kCaptionedPictures ? "caption -m {} picture.png"
                     : settings.task == "words" ? "fill -m {} \"A sentence with a [MASK] .\""
                                                : "classify -m {} < sentences.txt";
  return "try it: fovea " + fmt::format(fmt::runtime(what), settings.out);
}

}  // namespace

int train(int argc, char** argv) {
  TrainRequest request;
  Arguments app(
      "Trains a model on pairs of lines, on text, or on pictures. Run again with the same --out, it resumes "
      "where it "
      "stopped, "
      "with the settings that it had.",
      "fovea train");
  add_train_options(app, request);
  app.footer(
      "Units: u updates, e epochs; s, m, h: seconds, minutes, hours of training.\n"
      "What is not given fits the data: vocabulary, batches, warm-up, noise. --dump-config shows it.\n"
      "Example:\n"
      "  fovea train --train-sets train.en train.de --after 20m --out en-de\n"
      "  fovea train --corpus dates --after 5e --out dates\n"
      "  fovea train --model gpt --train-sets book.txt --after 10m --out book\n"
      "  fovea train --model cnn --corpus digits --after 2m --out digits\n"
      "  fovea train --config run.yml --seed 2 --out second");
  if (!parse(app, argc, argv)) return 0;

  const train::Settings given = request.over({});
  const bool old = goes_on(given);
  const train::Settings settings =
      request.over(old ? train::load_state(given.out + "/last").settings : train::defaults_of(given.model));
  const train::Keys open = old ? train::Keys() : request.open();
  const bool has_data = !settings.corpus.empty() || !settings.train_sets.empty() ||
                        !settings.pictures.empty() || !settings.images.empty();
  if (request.dump_config) {
    print("{}", has_data ? to_yaml(fitted(settings, open)) : to_yaml(settings, open));
    return 0;
  }
  expect_usage(!old || !has_valid_data(given) || settings.valid_split == 0,
               "{} holds a run that validates on a part of its training data, and it cannot change "
               "that: leave out --valid-sets, or choose another --out",
               given.out);
  check_usage(fitted_to_some_data(settings, open));
  check_files(settings);
  catch_stop_signals("\n[train] stopping after this update, then saving; once more to quit at once\n");
  const train::RunDirectory directory(settings.out);
  train::Report report(stderr, ::isatty(STDERR_FILENO) == 1,
                       [](std::string_view line) { return terminal_text(line, STDERR_FILENO); });
  train::RunHooks hooks{.stop = stop_signalled, .listeners = {}, .open = open};
  if (!settings.quiet) hooks.listeners.push_back(&report);
  CurveWriter curve(settings.out);
  hooks.listeners.push_back(&curve);
  const train::RunResult result = run(directory, settings, hooks);
  curve.draw();
  if (!settings.quiet) report.said(next_step(result.state.settings));
  return 0;
}

}  // namespace fovea::cli
