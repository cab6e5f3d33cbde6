#include "fovea/metrics/table.h"

#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/metrics/alignment_error.h"
#include "fovea/metrics/bleu.h"
#include "fovea/metrics/chrf.h"
#include "fovea/metrics/exact.h"

namespace fovea::metrics {
namespace {

// A tally from two functions: the counts of a line, and what to say about their sum.
template <typename Counts, Counts (*count)(const Segment&, const MetricOptions&),
          Report (*say)(const Counts&, const MetricOptions&)>
class TallyOf final : public Tally {
 public:
  explicit TallyOf(const MetricOptions& options) : options_(options) {}
  void add(const Segment& segment) override { counts_ += count(segment, options_); }
  void add(const Tally& other) override { counts_ += static_cast<const TallyOf&>(other).counts_; }
  Report report() const override { return say(counts_, options_); }

  static std::unique_ptr<Tally> make(const MetricOptions& options) {
    return std::make_unique<TallyOf>(options);
  }

 private:
  MetricOptions options_;
  Counts counts_;
};

BleuOptions bleu_options(const MetricOptions& options) {
  return {.tokenize = options.tokenize, .lowercase = options.lowercase};
}
BleuCounts count_bleu(const Segment& segment, const MetricOptions& options) {
  return bleu_counts(segment.hypothesis, segment.references, bleu_options(options));
}
Report say_bleu(const BleuCounts& counts, const MetricOptions& options) {
  const BleuScore y = bleu_score(counts);
  return {y.score,
          fmt::format("{:.2f} {}", y.score, bleu_details(counts, y)),
          bleu_signature(options.references, bleu_options(options)),
          {{"precisions", y.precisions},
           {"brevity_penalty", y.brevity_penalty},
           {"ratio", y.ratio},
           {"hyp_len", counts.hyp_len},
           {"ref_len", counts.ref_len}}};
}

template <bool words>
ChrfOptions chrf_options(const MetricOptions& options) {
  return {.words = words, .lowercase = options.lowercase};
}
template <bool words>
ChrfCounts count_chrf(const Segment& segment, const MetricOptions& options) {
  return chrf_counts(segment.hypothesis, segment.references, chrf_options<words>(options));
}
template <bool words>
Report say_chrf(const ChrfCounts& counts, const MetricOptions& options) {
  const double score = chrf_score(counts);
  return {score, fmt::format("{:.2f}", score),
          chrf_signature(options.references, chrf_options<words>(options)), nlohmann::ordered_json::object()};
}

ExactCounts count_exact(const Segment& segment, const MetricOptions& options) {
  return exact_counts(segment.hypothesis, segment.references, options.lowercase);
}
Report say_exact(const ExactCounts& counts, const MetricOptions& options) {
  const double score = exact_score(counts);
  return {score,
          fmt::format("{:.2f} ({} of {} lines)", score, counts.matches, counts.lines),
          fmt::format("nrefs:{}|case:{}", options.references, options.lowercase ? "lc" : "mixed"),
          {{"matches", counts.matches}}};
}

AlignmentCounts count_links(const Segment& segment, const MetricOptions&) {
  return alignment_counts(segment.links, segment.gold);
}
Report say_links(const AlignmentCounts& counts, const MetricOptions&) {
  const AlignmentScore y = alignment_score(counts);
  return {y.error_rate,
          fmt::format("{:.2f} (precision = {:.2f} recall = {:.2f} links = {} sure = {})", y.error_rate,
                      y.precision, y.recall, counts.found, counts.sure),
          "",
          {{"precision", y.precision}, {"recall", y.recall}, {"links", counts.found}, {"sure", counts.sure}}};
}

PerplexityCounts count_log_prob(const Segment& segment, const MetricOptions&) { return segment.log_prob; }
Report say_perplexity(const PerplexityCounts& counts, const MetricOptions&) {
  const double score = perplexity(counts);
  return {score,
          fmt::format("{:.4f} (log_prob = {:.4f} tokens = {})", score, counts.log_prob, counts.tokens),
          "",
          {{"log_prob", counts.log_prob}, {"tokens", counts.tokens}}};
}

constexpr Metric kMetrics[] = {
    {"bleu", "BLEU", "n-grams of words, with a penalty for what is too short", Reads::kText,
     TallyOf<BleuCounts, count_bleu, say_bleu>::make},
    {"chrf", "chrF2", "n-grams of characters", Reads::kText,
     TallyOf<ChrfCounts, count_chrf<false>, say_chrf<false>>::make},
    {"chrf++", "chrF2++", "n-grams of characters and of words", Reads::kText,
     TallyOf<ChrfCounts, count_chrf<true>, say_chrf<true>>::make},
    {"exact", "exact", "lines that are right to the last character", Reads::kText,
     TallyOf<ExactCounts, count_exact, say_exact>::make},
    {"aer", "AER", "alignment error rate", Reads::kLinks,
     TallyOf<AlignmentCounts, count_links, say_links>::make},
    {"perplexity", "perplexity", "what a model makes of the references", Reads::kLogProbs,
     TallyOf<PerplexityCounts, count_log_prob, say_perplexity>::make},
};

}  // namespace

std::span<const Metric> metric_table() { return kMetrics; }

const Metric& metric_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) {
    if (metric.name == name) return metric;
    names.emplace_back(metric.name);
  }
  fail("metric", "{} is not a metric{}", quote(name), near_or_all(name, names));
}

}  // namespace fovea::metrics
