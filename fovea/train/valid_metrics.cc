#include "fovea/train/valid_metrics.h"

#include <cmath>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/metrics/bleu.h"
#include "fovea/metrics/chrf.h"
#include "fovea/metrics/exact.h"

namespace fovea::train {
namespace {

using Lines = std::span<const std::string>;

constexpr ValidMetric kMetrics[] = {
    {"cross-entropy", "mean -log p of a target token", true, nullptr, [](double mean) { return mean; }},
    {"perplexity", "exp of that", true, nullptr, [](double mean) { return std::exp(mean); }},
    {"accuracy", "hidden words, or labels, that were found, in percent", false, nullptr, nullptr, nullptr,
     true},
    {"distance", "glimpse: pixels from its last glimpse to the middle of the digit, where that is known",
     true, nullptr, nullptr, nullptr, false, true},
    {"meaning", "captions of --corpus scenes that say all of their picture and nothing wrong, in percent",
     false, nullptr, nullptr, meaning_of},
    {"pointing", "words of them whose strongest place lies on what they name, in percent", false, nullptr,
     nullptr, pointing_of},
    {"variation", "of them: distance between the maps of words that name different things, 0 to 1", false,
     nullptr, nullptr, variation_of},
    {"bleu", "BLEU of translations, as sacreBLEU counts", false,
     [](Lines hypotheses, Lines references) { return metrics::bleu(hypotheses, references); }, nullptr},
    {"chrf", "chrF2 of translations, as sacreBLEU counts", false,
     [](Lines hypotheses, Lines references) { return metrics::chrf(hypotheses, references); }, nullptr},
    {"exact", "translations that are the reference, in percent", false,
     [](Lines hypotheses, Lines references) { return metrics::exact(hypotheses, references); }, nullptr},
};

}  // namespace

std::span<const ValidMetric> valid_metric_table() { return kMetrics; }

const ValidMetric& valid_metric_named(std::string_view name) {
  std::vector<std::string> names;
  for (const ValidMetric& metric : kMetrics) {
    if (metric.name == name) return metric;
    names.emplace_back(metric.name);
  }
  fail("valid", "there is no metric {}{}", quote(name), near_or_all(name, names));
}

bool is_better(const ValidMetric& metric, double value, double best) {
  return metric.lower_is_better ? value < best : value > best;
}

}  // namespace fovea::train
