// fovea bench: the best time of several runs of each case, and its share of what the machine can do.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "fovea/base/cpu.h"
#include "fovea/base/nearest.h"
#include "fovea/base/parallel.h"
#include "fovea/base/quote.h"
#include "fovea/base/resident.h"
#include "fovea/cli/bench_cases.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/kernels/peak.h"

namespace fovea::cli {
namespace {

struct Options {
  std::string group = "attention", filter;
  int rounds = 0;  // 0: seven, or what fits into a few seconds
  bool json = false, with_long = false;
};

struct Figure {
  double seconds = 0;
  std::optional<double> extra_mib;  // resident memory at the most, beyond inputs and outputs
};

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Figure measure_once(const std::function<void()>& run) {
  Figure figure;
  const bool can_measure = reset_resident_peak();
  const int64_t before = resident_bytes();
  figure.seconds = seconds_of(run);
  if (can_measure)
    figure.extra_mib = static_cast<double>(std::max<int64_t>(0, resident_peak_bytes() - before)) / (1 << 20);
  return figure;
}

Figure measure(const BenchCase& bench_case, int rounds) {
  constexpr int kRounds = 7, kFewest = 3;
  constexpr double kSeconds = 3;
  const std::function<void()> run = bench_case.setup();
  if (bench_case.is_long) return measure_once(run);
  run();  // faults in the memory and wakes the threads
  double best = 0, all = 0;
  for (int i = 0; i < (rounds > 0 ? rounds : kRounds); ++i) {
    if (rounds == 0 && i >= kFewest && all > kSeconds) break;
    const double seconds = seconds_of(run);
    best = i == 0 ? seconds : std::min(best, seconds);
    all += seconds;
  }
  return {.seconds = best, .extra_mib = {}};
}

// Cases whose name contains the filter, or the one whose name it is. Long ones only where they are asked for:
// by --long, or by a filter that nothing else matches.
std::vector<BenchCase> choose(const Options& options) {
  std::vector<BenchCase> cases;
  for (const BenchGroup& group : bench_groups())
    if (group.name == options.group) cases = group.cases();
  std::vector<std::string> names;
  for (const BenchCase& c : cases) names.push_back(c.name);
  if (std::find(names.begin(), names.end(), options.filter) != names.end()) {
    std::erase_if(cases, [&](const BenchCase& c) { return c.name != options.filter; });
    return cases;
  }
  std::erase_if(cases, [&](const BenchCase& c) { return c.name.find(options.filter) == std::string::npos; });
  expect_usage(!cases.empty(), "--filter: no case of {} contains {}; the nearest is '{}'", options.group,
               quote(options.filter), nearest(options.filter, names, 1).front());
  const auto is_long = [](const BenchCase& c) { return c.is_long; };
  if (!options.with_long && !std::all_of(cases.begin(), cases.end(), is_long)) std::erase_if(cases, is_long);
  return cases;
}

void print_json(const BenchCase& c, const Figure& figure, double peak) {
  const double gflops = c.gflop / figure.seconds;
  nlohmann::ordered_json line = {
      {"name", c.name}, {"ms", 1e3 * figure.seconds}, {"gflops", gflops}, {"share_of_peak", gflops / peak}};
  if (c.gelements > 0) line["gelements"] = c.gelements / figure.seconds;
  if (c.gbytes > 0) line["gbs"] = c.gbytes / figure.seconds;
  if (figure.extra_mib) line["extra_mib"] = *figure.extra_mib;
  line["peak_mib"] = static_cast<double>(resident_peak_bytes()) / (1 << 20);
  print("{}\n", line.dump());
}

void print_row(const BenchCase& c, const Figure& figure, double peak, size_t width) {
  const double gflops = c.gflop / figure.seconds;
  double rate = gflops;
  std::string_view unit = "GFLOP/s";
  if (c.gelements > 0) {
    rate = c.gelements / figure.seconds;
    unit = "G elements/s";
  } else if (c.gbytes > 0) {
    rate = c.gbytes / figure.seconds;
    unit = "GB/s";
  }
  print("{:<{}}{:>12.3f}{:>10.2f} {:<12}{:>6.1f} %", c.name, width, 1e3 * figure.seconds, rate, unit,
        100 * gflops / peak);
  if (figure.extra_mib) print("  {:.1f} MiB of extra memory", *figure.extra_mib);
  print("\n");
}

void run_cases(const std::vector<BenchCase>& cases, const Options& options) {
  double peak = kernels::peak_gflops();
  const std::string machine = fmt::format("{} on {} thread{}: f32 FMA {:.1f} GFLOP/s", simd_name(), threads(),
                                          threads() == 1 ? "" : "s", peak);
  size_t width = 8;
  for (const BenchCase& c : cases) width = std::max(width, c.name.size());
  if (options.json) {
    fmt::print(stderr, "{}\n", machine);
  } else {
    print("{}, memory {:.1f} GB/s\n\n{:<{}}{:>12}{:>10} {:<12}{:>8}\n", machine, kernels::peak_memory_gbs(),
          "case", width, "best ms", "rate", "", "of peak");
  }
  for (const BenchCase& c : cases) {
    flush_output();
    const Figure figure = measure(c, options.rounds);
    peak = std::max(peak, kernels::peak_gflops());  // other programs may have slowed the first measurement
    if (options.json)
      print_json(c, figure, peak);
    else
      print_row(c, figure, peak, width);
  }
}

}  // namespace

int bench(int argc, char** argv) {
  Options options;
  std::vector<std::string> groups;
  for (const BenchGroup& group : bench_groups()) groups.emplace_back(group.name);
  Arguments app(
      "Times the engine. The share of peak is against f32 multiply-adds from registers, measured first.",
      "fovea bench");
  app.add_option("group", options.group, fmt::format("what to time: {}", fmt::join(groups, ", ")))
      ->capture_default_str()
      ->one_of(groups)
      ->type_name("GROUP");
  app.add_option("--filter", options.filter, "only cases whose name contains this")->type_name("TEXT");
  app.add_option("--rounds", options.rounds, "runs of each case, of which the best counts")
      ->range(1, 1'000'000)
      ->type_name("N");
  app.add_flag("--long", options.with_long, "also the cases that take a minute");
  app.add_flag("--json", options.json, "one JSON object a line");
  add_threads(app);
  app.footer("Example:\n  fovea bench attention --filter causal_fwd_bwd --threads 2");
  if (!parse(app, argc, argv)) return 0;
  run_cases(choose(options), options);
  return 0;
}

}  // namespace fovea::cli
