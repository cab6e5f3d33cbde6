// length: what it costs to squeeze a sentence through one vector. The curve that started it all (Cho et al. 2014, fig. 4;
// Bahdanau et al. 2015, fig. 2): quality against the length of the source, with and without attention.
#include <algorithm>
#include <map>

#include "fovea/study/kinds.h"

namespace fovea::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kStep = 10;     // words of a group of lengths: 1-10, 11-20, ...
constexpr int64_t kLongest = 60;  // all that are longer are one group
constexpr int64_t kLong = 40;     // what the finding is about: so many words and more
constexpr int64_t kFewest = 20;   // lines that a finding needs

std::vector<Trial> trials() {
  train::Settings base;
  base.dim_emb = base.dim_rnn = 128;
  base.mini_batch_words = 2000;
  base.learn_rate = 0.004;
  base.lr_warmup = {100, 'u'};
  base.lr_schedule = "cosine";
  base.label_smoothing = 0;
  Trial bottleneck{"bottleneck", base}, attention{"attention", base};
  bottleneck.settings.attention = "bottleneck";
  attention.settings.attention = "bahdanau";
  attention.cost = 1.5;
  return {bottleneck, attention};
}

// Source lengths from `from` to `to` words.
struct Group {
  int64_t from = 0, to = 0;
  std::vector<size_t> lines;
  std::string name() const {
    return to > kLongest ? fmt::format("{}+", from) : fmt::format("{}-{}", from, to);
  }
};

std::vector<Group> groups_of(std::span<const Counts> lines) {
  std::map<int64_t, Group> groups;  // by their number
  for (size_t i = 0; i < lines.size(); ++i) {
    const int64_t words = lines[i].source_words;
    const int64_t number = std::min((words - 1) / kStep, kLongest / kStep);
    Group& group = groups[number];
    group.from = number * kStep + 1;
    group.to = std::max({group.to, (number + 1) * kStep, words});
    group.lines.push_back(i);
  }
  std::vector<Group> in_order;
  for (auto& [number, group] : groups) in_order.push_back(std::move(group));
  return in_order;
}

// Lines of kLong words and more; where there are hardly any, the longest tenth.
Group long_lines(std::span<const Counts> lines) {
  std::vector<int64_t> words;
  for (const Counts& line : lines) words.push_back(line.source_words);
  std::vector<int64_t> sorted = words;
  std::sort(sorted.begin(), sorted.end(), std::greater());
  const size_t enough = std::min<size_t>(kFewest, sorted.size()) - 1;
  const int64_t from = sorted[enough] >= kLong ? kLong : sorted[std::max(enough, sorted.size() / 10)];
  Group group{.from = from, .to = sorted.front(), .lines = {}};
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] >= from) group.lines.push_back(i);
  return group;
}

Quality quality_of(const Outcome& outcome, std::span<const size_t> lines) {
  Counts sum;
  for (const size_t i : lines) sum += outcome.lines[i];
  return quality_of(sum);
}

Json to_json(const Group& group, const Quality& quality) {
  return {{"from", group.from},
          {"to", group.to},
          {"lines", quality.lines},
          {"bleu", quality.bleu},
          {"exact", quality.exact}};
}

const char* verb(double lead_of_attention) { return lead_of_attention < 0 ? "wins" : "loses"; }

std::string finding(const Group& group, std::span<const Outcome> outcomes) {
  const Quality squeezed = quality_of(outcomes[0], group.lines),
                attended = quality_of(outcomes[1], group.lines);
  const double bleu = attended.bleu - squeezed.bleu, exact = attended.exact - squeezed.exact;
  return fmt::format(
      "Sources of {} words and more ({} lines): BLEU {:.1f} through the bottleneck, {:.1f} with attention; "
      "exact "
      "match {:.1f} % and {:.1f} %. The bottleneck {} {:.1f} BLEU and {}{:.1f} points of exact match.",
      group.from, group.lines.size(), squeezed.bleu, attended.bleu, squeezed.exact, attended.exact,
      verb(bleu), std::abs(bleu), exact * bleu < 0 ? std::string(verb(exact)) + " " : "", std::abs(exact));
}

Report report(std::span<const Outcome> outcomes) {
  const std::span<const Counts> lines = outcomes[0].lines;
  const std::vector<Group> groups = groups_of(lines);
  const Group longest = long_lines(lines);
  Report report;
  report.table.head = {"source words", "lines"};
  for (const char* metric : {"BLEU", "exact %"})
    for (const Outcome& outcome : outcomes)
      report.table.head.push_back(fmt::format("{} {}", outcome.trial.name, metric));

  look::Chart bleu{.x = {"words in the source"}, .y = {.name = "BLEU", .from = 0, .to = 100}};
  look::Chart exact{.x = {"words in the source"}, .y = {.name = "exact match, %", .from = 0, .to = 100}};
  for (const Outcome& outcome : outcomes) {
    bleu.series.push_back({.name = outcome.trial.name});
    exact.series.push_back({.name = outcome.trial.name});
    report.figures[outcome.trial.name]["by_length"] = Json::array();
  }
  for (const Group& group : groups) {
    Row row = {group.name(), fmt::format("{}", group.lines.size())}, last;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const Quality quality = quality_of(outcomes[i], group.lines);
      row.push_back(fmt::format("{:.1f}", quality.bleu));
      last.push_back(fmt::format("{:.1f}", quality.exact));
      const double middle = static_cast<double>(group.from + group.to) / 2;
      bleu.series[i].x.push_back(middle);
      bleu.series[i].y.push_back(quality.bleu);
      exact.series[i].x.push_back(middle);
      exact.series[i].y.push_back(quality.exact);
      report.figures[outcomes[i].trial.name]["by_length"].push_back(to_json(group, quality));
    }
    row.insert(row.end(), last.begin(), last.end());
    report.table.rows.push_back(std::move(row));
  }
  for (const Outcome& outcome : outcomes)
    report.figures[outcome.trial.name]["long"] = to_json(longest, quality_of(outcome, longest.lines));
  report.plot = {.title = "What the bottleneck costs",
                 .subtitle = "the same data, cell, sizes and number of updates, with attention and without",
                 .charts = {std::move(bleu), std::move(exact)}};
  report.findings.push_back(finding(longest, outcomes));
  return report;
}

}  // namespace

Kind length_study() {
  return {.name = "length",
          .what = "quality against the length of the source: a fixed-size bottleneck beside attention",
          .subject = pairs_of_lines({.train = 60000,
                                     .valid = 300,
                                     .test = 1200,
                                     .min_words = 3,
                                     .max_words = kLongest,
                                     .language = "ko"}),
          .own_data = "SRC TRG",
          .updates = 5000,
          .trials = trials,
          .report = report};
}

}  // namespace fovea::study
