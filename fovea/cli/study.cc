// fovea study: the classic claims as experiments.
#include <unistd.h>

#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/stop_signal.h"
#include "fovea/cli/terminal.h"
#include "fovea/cli/verbs.h"
#include "fovea/study/run.h"

namespace fovea::cli {
namespace {

std::string list_of_studies() {
  std::string text = "Studies, and the files that their --data takes:\n";
  for (const study::Kind& kind : study::study_table())
    text += fmt::format("  {:<18}{}{}\n", kind.name, kind.what,
                        kind.own_data ? fmt::format(" ({})", kind.own_data) : "");
  return text;
}

}  // namespace

int study(int argc, char** argv) {
  std::string name;
  study::Options options;
  Arguments app(
      "Trains the models of a study with the same data and the same number of updates, tests them, and shows "
      "what came "
      "out: a table, a plot, a sentence. The same command on the same --out goes on where it stopped.",
      "fovea study");
  app.add_option("NAME", name, "which study")->required()->option_text(" ");
  app.add_option("-o,--out", options.out, "directory of the study: study.json, table.md, plots, runs/, data/")
      ->required()
      ->type_name("DIR");
  app.add_option("--minutes", options.minutes, "about how long, on two cores; updates grow with it")
      ->capture_default_str()
      ->range(0.001, 1e5)
      ->type_name("N");
  app.add_option("--data", options.data,
                 "data of your own: pairs line by line, or pictures and labels in IDX files; otherwise a "
                 "built-in corpus")
      ->expected(2)
      ->type_name("FILE FILE");
  app.add_option("--seed", options.seed, "of the data, first weights and noise")
      ->capture_default_str()
      ->range(int64_t{0}, int64_t{1} << 53)
      ->type_name("N");
  app.add_option("--threads", options.threads, "threads to use; 0: one per core")
      ->capture_default_str()
      ->range(0, 1024)
      ->type_name("N");
  app.footer(
      list_of_studies() +
      "\nExample:\n"
      "  fovea study length --out length\n"
      "  fovea study scores --out scores --minutes 30 --data train.en train.de\n"
      "  fovea study samples --out samples --data train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz");
  if (!parse(app, argc, argv)) return 0;

  const study::Kind& kind = named([&]() -> const study::Kind& { return study::study_named(name); });
  study::Progress progress(stderr, ::isatty(STDERR_FILENO) == 1);
  catch_stop_signals("\n[study] stopping after this update, then saving; once more to quit at once\n");
  const std::optional<study::Report> report = study::run(kind, options, stop_signalled, &progress);
  if (!report) {
    progress.say("stopped: the same command goes on from here");
    return 0;
  }
  print("{}\n{}\n", to_text(report->table, report->words),
        to_terminal(report->plot, terminal_width(), terminal_color()));
  for (const std::string& finding : report->findings) print("{}\n", finding);
  print("\nWrote {0}/study.json, {0}/table.md, {0}/{1}.svg, {0}/{1}.png\n", options.out, kind.name);
  return 0;
}

}  // namespace fovea::cli
