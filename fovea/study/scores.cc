// scores: every score function, soft and hard, global and local, on one corpus with one budget: how well they translate, whether
// they look where they should, and what they cost.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/grouped.h"
#include "fovea/nn/scores/score.h"
#include "fovea/study/kinds.h"

namespace fovea::study {
namespace {

using Json = nlohmann::ordered_json;

// The score of what differs in something else than the score.
constexpr const char* kScore = "additive";
// The one that never sees the source.
constexpr std::string_view kBlind = "location";
constexpr const char *kLocalM = "local-m", *kLocalP = "local-p", *kReinforce = "hard-reinforce",
                     *kUnguided = "unguided";

std::vector<Trial> trials() {
  train::Settings base;
  base.attention = "luong";
  base.score = kScore;
  base.dim_emb = base.dim_rnn = 128;
  base.mini_batch_words = 700;
  base.learn_rate = 0.004;
  base.lr_warmup = {100, 'u'};
  base.lr_schedule = "cosine";
  base.label_smoothing = 0;
  // Left to themselves for so few updates, the dot-like scores hardly begin to look anywhere.
  base.guided_alignment = kFromCorpus;
  std::vector<Trial> all;
  for (const nn::Score& score : nn::score_table()) {
    all.push_back({score.name, base});
    all.back().settings.score = score.name;
  }
  all.push_back({kUnguided, base});
  all.back().settings.guided_alignment.clear();
  for (const char* local : {kLocalM, kLocalP}) {
    all.push_back({local, base});
    all.back().settings.local = local;
  }
  for (const char* estimator : {"reinforce", "variational", "gumbel"}) {
    all.push_back({fmt::format("hard-{}", estimator), base, 1.5});
    all.back().settings.weigh = "hard";
    all.back().settings.estimator = estimator;
  }
  return all;
}

struct Line {
  const Outcome* outcome;
  Quality quality;
  const std::string& name() const { return outcome->trial.name; }
  double milliseconds() const { return outcome->milliseconds_per_update(); }
  double words_per_second() const {
    return static_cast<double>(outcome->state.tokens) / std::max(outcome->state.seconds, 1e-9);
  }
};

const Line& line_of(std::span<const Line> lines, std::string_view name) {
  return *std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name() == name; });
}

std::string weigh_text(const train::Settings& s) {
  return s.weigh == "hard" ? fmt::format("hard, {}", s.estimator) : "soft";
}
std::string reach_text(const train::Settings& s) {
  return s.local == "none" ? "global" : fmt::format("{} +-{}", s.local, s.window);
}

bool is_guided(const Outcome& outcome) { return !outcome.state.settings.guided_alignment.empty(); }

Table table_of(std::span<const Line> lines, bool aligned) {
  Table table;
  table.head = {"trial", "score", "reach", "weigh", "guided", "BLEU", "exact %", "ms/update", "words/s"};
  if (aligned) table.head.insert(table.head.begin() + 7, "AER %");
  for (const Line& line : lines) {
    const train::Settings& s = line.outcome->trial.settings;
    Row row = {line.name(),
               s.score,
               reach_text(s),
               weigh_text(s),
               is_guided(*line.outcome) ? "yes" : "no",
               fmt::format("{:.1f}", line.quality.bleu),
               fmt::format("{:.1f}", line.quality.exact)};
    if (aligned) row.push_back(fmt::format("{:.1f}", *line.quality.alignment_error));
    row.push_back(fmt::format("{:.1f}", line.milliseconds()));
    row.push_back(grouped(static_cast<int64_t>(line.words_per_second())));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// As the table has it: the plot writes numbers beside its bars.
double one_decimal(double x) { return std::round(10 * x) / 10; }

look::Plot plot_of(std::span<const Line> lines, bool aligned) {
  look::Chart exact{.y = {.name = "exact match, %", .from = 0, .to = 100}, .series = {{}}};
  look::Chart error{.y = {.name = "alignment error, %", .from = 0, .to = 100}, .series = {{}}};
  look::Chart time{.y = {.name = "ms for an update", .from = 0}, .series = {{}}};
  for (const Line& line : lines) {
    for (look::Chart* chart : {&exact, &error, &time}) chart->groups.push_back(line.name());
    exact.series[0].y.push_back(one_decimal(line.quality.exact));
    error.series[0].y.push_back(
        one_decimal(line.quality.alignment_error.value_or(std::numeric_limits<double>::quiet_NaN())));
    time.series[0].y.push_back(one_decimal(line.milliseconds()));
  }
  look::Plot plot{.title = "Ways to attend",
                  .subtitle = "the same data, sizes and number of updates",
                  .charts = {std::move(exact)},
                  .across = aligned ? 3 : 2};
  if (aligned) plot.charts.push_back(std::move(error));
  plot.charts.push_back(std::move(time));
  return plot;
}

std::string alignment_finding(std::span<const Line> lines) {
  std::vector<const Line*> seeing;
  for (const nn::Score& score : nn::score_table())
    if (score.name != kBlind) seeing.push_back(&line_of(lines, score.name));
  std::sort(seeing.begin(), seeing.end(), [](const Line* a, const Line* b) {
    return *a->quality.alignment_error < *b->quality.alignment_error;
  });
  return fmt::format(
      "Soft scores that see the source, {}, have an alignment error of {:.1f} % ({}) to {:.1f} % ({}). {}, "
      "which "
      "does not see it: {:.1f} %; {} left to itself: {:.1f} %.",
      is_guided(*seeing.front()->outcome) ? "guided (--guided-alignment)" : "unguided",
      *seeing.front()->quality.alignment_error, seeing.front()->name(),
      *seeing.back()->quality.alignment_error, seeing.back()->name(), kBlind,
      *line_of(lines, kBlind).quality.alignment_error, kScore,
      *line_of(lines, kUnguided).quality.alignment_error);
}

std::string hard_finding(std::span<const Line> lines) {
  const Quality &soft = line_of(lines, kScore).quality, &hard = line_of(lines, kReinforce).quality;
  return fmt::format(
      "Hard attention learned by REINFORCE: BLEU {:.1f} and exact match {:.1f} %; soft, with the same score: "
      "{:.1f} and {:.1f} %.",
      hard.bleu, hard.exact, soft.bleu, soft.exact);
}

Report report(std::span<const Outcome> outcomes) {
  std::vector<Line> lines;
  Report report;
  for (const Outcome& outcome : outcomes) {
    Counts sum;
    for (const Counts& line : outcome.lines) sum += line;
    const Quality quality = quality_of(sum);
    lines.push_back({&outcome, quality});
    Json& figures = report.figures[outcome.trial.name];
    figures = {{"lines", quality.lines}, {"bleu", quality.bleu}, {"exact", quality.exact}};
    if (quality.alignment_error) figures["alignment_error"] = *quality.alignment_error;
  }
  const bool aligned = std::all_of(lines.begin(), lines.end(),
                                   [](const Line& line) { return line.quality.alignment_error.has_value(); });
  report.table = table_of(lines, aligned);
  report.words = 5;
  report.plot = plot_of(lines, aligned);
  if (aligned) report.findings.push_back(alignment_finding(lines));
  report.findings.push_back(hard_finding(lines));
  return report;
}

}  // namespace

Kind scores_study() {
  return {.name = "scores",
          .what = "every score function, soft and hard, global and local: quality, alignment, time",
          .subject = pairs_of_lines({.train = 40000, .valid = 300, .test = 1000, .language = "ko"}),
          .own_data = "SRC TRG",
          .updates = 2200,
          .trials = trials,
          .report = report};
}

}  // namespace fovea::study
