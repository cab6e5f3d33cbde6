// fovea eval: scores of translations and alignments, as a whole and by the length of the source; of models on pictures.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/cli/eval_lines.h"
#include "fovea/cli/eval_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/metrics/bleu_tokenizers.h"
#include "fovea/metrics/evaluation.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::cli {
namespace {

using metrics::Evaluation;
using metrics::Metric;
using metrics::Reads;
using nlohmann::ordered_json;

struct EvalRequest {
  EvalFiles files;
  PictureEval pictures;
  std::vector<std::string> metrics;
  std::string tokenize = "13a";
  std::vector<int64_t> buckets = {10, 20, 30, 40, 50};
  bool lowercase = false, json = false;
};

void add_options(Arguments& app, EvalRequest& r) {
  app.add_option("--hyp", r.files.hypothesis, "translations, one a line")->type_name("FILE");
  app.add_option("--ref", r.files.references,
                 "their references; several files: several references for each line")
      ->type_name("FILE");
  app.add_option("--metric", r.metrics, "what to compute, separated by commas; otherwise bleu,chrf,exact")
      ->delimiter(',')
      ->type_name("NAMES");
  app.add_option("--tokenize", r.tokenize, "how BLEU cuts words")->capture_default_str()->type_name("NAME");
  app.add_flag("--lowercase", r.lowercase, "case does not count");
  app.add_option("--alignment", r.files.links,
                 "word alignments that were found, one line of 0-0 1-2 each, alone or behind |||: AER")
      ->type_name("FILE");
  app.add_option("--gold", r.files.gold, "the true ones; 1?2 or 1p2 is a possible link")->type_name("FILE");
  app.add_option("--scores", r.files.log_probs,
                 "lines of LOG_PROB<tab>TOKENS, as fovea score prints: perplexity")
      ->type_name("FILE");
  app.add_option("--by-length", r.files.source, "also by the number of words in the lines of this source")
      ->type_name("FILE");
  app.add_option("--buckets", r.buckets, "the longest length of each bucket but the last")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("N,N");
  app.add_flag("--json", r.json, "one JSON object");
  add_picture_options(app, r.pictures);
  add_threads(app);

  std::string footer = "Metrics of lines:\n";
  for (const Metric& metric : metrics::metric_table())
    footer += fmt::format("  {:<15}{}\n", metric.name, metric.what);
  footer += "\nMetrics of models on pictures:\n";
  for (const train::ValidMetric& metric : train::valid_metric_table())
    footer += fmt::format("  {:<15}{}\n", metric.name, metric.what);
  footer += "\nTokenizers of BLEU:\n";
  for (const auto& tokenizer : metrics::bleu_tokenizers())
    footer += fmt::format("  {:<15}{}\n", tokenizer.name, tokenizer.what);
  app.footer(footer +
             "\nBLEU and chrF are those of sacreBLEU. '-' is standard input; files may be gzip.\n"
             "\nExample:\n"
             "  fovea eval --hyp out.txt --ref test.de --by-length test.en\n"
             "  fovea eval --hyp out.txt --ref a.txt --ref b.txt --metric bleu,chrf++ --json\n"
             "  fovea eval --alignment out.align --gold test.align\n"
             "  fovea translate -m model < test.en | fovea eval --hyp - --ref test.de\n"
             "  fovea eval -m digits --images t10k-images-idx3-ubyte.gz --labels t10k-labels-idx1-ubyte.gz\n"
             "  fovea eval -m scenes --corpus scenes --min-shapes 2");
}

// Whether there are files for what a metric reads.
bool can_read(Reads what, const EvalFiles& files) {
  switch (what) {
    case Reads::kText:
      return !files.hypothesis.empty();
    case Reads::kLinks:
      return !files.links.empty();
    case Reads::kLogProbs:
      return !files.log_probs.empty();
  }
  return false;
}

std::string_view flags_for(Reads what) {
  switch (what) {
    case Reads::kText:
      return "--hyp and --ref";
    case Reads::kLinks:
      return "--alignment and --gold";
    case Reads::kLogProbs:
      return "--scores";
  }
  return "";
}

// Those that were asked for, and those that the files are for.
std::vector<const Metric*> chosen(const EvalRequest& r) {
  std::vector<const Metric*> found;
  const auto add = [&](std::string_view name) {
    const Metric* metric = named([&] { return &metrics::metric_named(name); });
    expect_usage(can_read(metric->reads, r.files), "--metric {} needs {}", name, flags_for(metric->reads));
    if (std::find(found.begin(), found.end(), metric) == found.end()) found.push_back(metric);
  };
  for (const std::string& name : r.metrics) add(name);
  if (r.metrics.empty() && can_read(Reads::kText, r.files))
    for (const char* name : {"bleu", "chrf", "exact"}) add(name);
  if (can_read(Reads::kLinks, r.files)) add("aer");
  if (can_read(Reads::kLogProbs, r.files)) add("perplexity");
  return found;
}

void check_usage(const EvalRequest& r) {
  const EvalFiles& files = r.files;
  expect_usage(files.hypothesis.empty() == files.references.empty(), "--hyp and --ref go together");
  expect_usage(files.links.empty() == files.gold.empty(), "--alignment and --gold go together");
  expect_usage(
      !files.hypothesis.empty() || !files.links.empty() || !files.log_probs.empty(),
      "nothing to evaluate: give --hyp and --ref, --alignment and --gold, --scores, or -m and pictures");
  std::vector<std::string> all = files.references;
  for (const std::string& file : {files.hypothesis, files.links, files.gold, files.log_probs, files.source})
    all.push_back(file);
  const auto stdins = std::count(all.begin(), all.end(), "-");
  expect_usage(stdins <= 1, "standard input can be one of the files, not {}", stdins);
}

void print_text(const Evaluation& evaluation, bool by_length) {
  const auto all = evaluation.metrics();
  for (size_t m = 0; m < all.size(); ++m) {
    const metrics::Report report = evaluation.report(m);
    print("{}{}{} = {}\n", all[m]->title, report.signature.empty() ? "" : "|", report.signature, report.text);
  }
  if (!by_length) return;
  const auto width = [](const Metric* metric) { return std::max<size_t>(metric->title.size(), 6) + 2; };
  print("\n{:<10}{:>8}", "words", "lines");
  for (const Metric* metric : all) print("{:>{}}", metric->title, width(metric));
  print("\n");
  for (size_t b = 0; b < evaluation.buckets().size(); ++b) {
    if (evaluation.lines(b) == 0) continue;
    print("{:<10}{:>8}", evaluation.buckets().name(b), evaluation.lines(b));
    for (size_t m = 0; m < all.size(); ++m) print("{:>{}.2f}", evaluation.report(m, b).score, width(all[m]));
    print("\n");
  }
}

void print_json(const Evaluation& evaluation, bool by_length) {
  const auto all = evaluation.metrics();
  ordered_json object = {{"lines", evaluation.lines()}};
  ordered_json signatures = ordered_json::object(), details = ordered_json::object();
  for (size_t m = 0; m < all.size(); ++m) {
    const std::string name(all[m]->name);
    const metrics::Report report = evaluation.report(m);
    object[name] = report.score;
    if (!report.signature.empty()) signatures[name] = report.signature;
    if (!report.details.empty()) details[name] = report.details;
  }
  object["signatures"] = signatures;
  object["details"] = details;
  if (by_length) {
    const metrics::LengthBuckets& buckets = evaluation.buckets();
    ordered_json rows = ordered_json::array();
    for (size_t b = 0; b < buckets.size(); ++b) {
      if (evaluation.lines(b) == 0) continue;
      ordered_json row = {{"from", buckets.from(b)}, {"to", buckets.to(b)}, {"lines", evaluation.lines(b)}};
      if (buckets.to(b) < 0) row["to"] = nullptr;
      for (size_t m = 0; m < all.size(); ++m) row[std::string(all[m]->name)] = evaluation.report(m, b).score;
      rows.push_back(row);
    }
    object["by_length"] = rows;
  }
  print("{}\n", object.dump(1));
}

}  // namespace

int eval(int argc, char** argv) {
  EvalRequest r;
  Arguments app(
      "Scores translations and word alignments, as a whole and by the length of the source; scores models on "
      "pictures.",
      "fovea eval");
  add_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  if (r.pictures.asked()) {
    expect_usage(r.files.hypothesis.empty() && r.files.links.empty() && r.files.log_probs.empty(),
                 "-m evaluates a model on pictures: leave out --hyp, --alignment and --scores");
    eval_pictures(r.pictures, r.metrics, r.json);
    return 0;
  }
  check_usage(r);
  named([&] { return &metrics::bleu_tokenizer_named(r.tokenize); });
  const bool by_length = !r.files.source.empty();
  const metrics::MetricOptions options = {
      .references = r.files.references.size(), .tokenize = r.tokenize, .lowercase = r.lowercase};
  const auto buckets =
      named([&] { return metrics::LengthBuckets(by_length ? r.buckets : std::vector<int64_t>{}); });
  Evaluation evaluation(chosen(r), options, buckets);
  EvalLines lines(r.files);
  for (auto piece = lines.next(); !piece.empty(); piece = lines.next()) evaluation.add(piece);
  check(evaluation.lines() > 0, "eval", "{} has no lines: there is nothing to score", lines.first_name());
  if (r.json)
    print_json(evaluation, by_length);
  else
    print_text(evaluation, by_length);
  return 0;
}

}  // namespace fovea::cli
