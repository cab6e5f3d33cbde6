// fovea train: trains a model, or goes on with the training of one.
#include <unistd.h>

#include "fovea/base/error.h"
#include "fovea/base/staged_directory.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/stop_signal.h"
#include "fovea/cli/train_curve.h"
#include "fovea/cli/train_options.h"
#include "fovea/cli/verbs.h"
#include "fovea/train/report.h"
#include "fovea/train/run.h"
#include "fovea/train/run_data.h"

namespace fovea::cli {
namespace {

// What the run that is in --out began with; otherwise the defaults.
train::Settings recorded(const train::Settings& given) {
  const std::string last = given.out + "/last";
  return !given.out.empty() && is_committed(last) ? train::load_state(last).settings
                                                  : train::defaults_of(given.model);
}

void check_usage(const train::Settings& settings) {
  try {
    check_together(settings);
  } catch (const Error& error) {
    throw UsageError(std::string(error.what()).substr(std::string_view("[train] ").size()));
  }
}

}  // namespace

int train(int argc, char** argv) {
  TrainRequest request;
  Arguments app(
      "Trains a model on pairs of lines. The same command on the same --out goes on where it stopped; what "
      "is not given "
      "stays as it was.",
      "fovea train");
  add_train_options(app, request);
  app.footer(
      "Units: u updates, e epochs; s, m, h: seconds, minutes, hours of training.\n"
      "Example:\n"
      "  fovea train --corpus dates --tokenizer char --after 5e --out dates\n"
      "  fovea train --train-sets train.en train.de --valid-sets valid.en valid.de --tokenizer spm "
      "--vocab-size 6000 \\\n"
      "      --joint-vocab --tied-embeddings-all --after 20m --out en-de\n"
      "  fovea train --config run.yml --seed 2 --out second");
  if (!parse(app, argc, argv)) return 0;

  const train::Settings settings = request.over(recorded(request.over({})));
  if (request.dump_config) {
    print("{}", to_yaml(settings));
    return 0;
  }
  check_usage(settings);
  check_files(settings);
  catch_stop_signals("\n[train] stopping after this update, then saving; once more to quit at once\n");
  const train::RunDirectory directory(settings.out);
  train::Report report(stderr, ::isatty(STDERR_FILENO) == 1);
  train::RunHooks hooks{.stop = stop_signalled, .listeners = {}};
  if (!settings.quiet) hooks.listeners.push_back(&report);
  CurveWriter curve(settings.out);
  hooks.listeners.push_back(&curve);
  run(directory, settings, hooks);
  curve.draw();
  return 0;
}

}  // namespace fovea::cli
