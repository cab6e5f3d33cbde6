// fovea average: one model whose weights are the mean of several's.
#include "fovea/train/average.h"
#include "fovea/base/error.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/train/keep.h"

namespace fovea::cli {
namespace {

// The newest `last` of what a run kept.
std::vector<std::string> kept(const std::string& run, int64_t last) {
  const std::vector<train::Snapshot> all = train::kept_snapshots(run);
  check(static_cast<int64_t>(all.size()) >= last, "average",
        "{} keeps the weights of {} validations, and {} are to be averaged: train with --keep-last {}, or "
        "give fewer by --last",
        run, all.size(), last, last);
  std::vector<std::string> paths;
  for (size_t i = all.size() - static_cast<size_t>(last); i < all.size(); ++i) paths.push_back(all[i].path);
  return paths;
}

}  // namespace

int average(int argc, char** argv) {
  std::string run, out;
  std::vector<std::string> models;
  int64_t last = 5;
  Arguments app("Averages the weights of several models of one shape: often better than each of them.",
                "fovea average");
  app.add_option("models", models, "model directories; or give a run by -m")->type_name("DIR");
  app.add_option("-m,--model", run, "a run of fovea train: averages the weights of its newest validations")
      ->type_name("DIR");
  Option* count = app.add_option("--last", last, "how many of them")
                      ->capture_default_str()
                      ->range(1, 1'000'000)
                      ->type_name("N");
  app.add_option("-o,--out", out, "directory of the new model")->required()->type_name("DIR");
  app.footer(
      "Example:\n"
      "  fovea average -m en-de --last 5 --out en-de-average\n"
      "  fovea average first/best second/best --out both");
  if (!parse(app, argc, argv)) return 0;
  expect_usage(run.empty() != models.empty(), "give a run by -m, or model directories");
  expect_usage(!run.empty() || count->count() == 0, "--last goes with -m");
  if (!run.empty()) models = kept(run, last);
  train::average(models, out);
  fmt::print(stderr, "[average] {} models in {}\n", models.size(), out);
  return 0;
}

}  // namespace fovea::cli
