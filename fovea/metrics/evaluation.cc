#include "fovea/metrics/evaluation.h"

#include <numeric>
#include <utility>

#include "fovea/metrics/sum_lines.h"

namespace fovea::metrics {

Evaluation::Evaluation(std::vector<const Metric*> metrics, const MetricOptions& options,
                       LengthBuckets buckets)
    : metrics_(std::move(metrics)), options_(options), buckets_(std::move(buckets)), sums_(none()) {}

Evaluation::Sums Evaluation::none() const {
  Sums sums;
  sums.lines.resize(buckets_.size());
  sums.tallies.resize(buckets_.size());
  for (auto& tallies : sums.tallies)
    for (const Metric* metric : metrics_) tallies.push_back(metric->tally(options_));
  return sums;
}

void Evaluation::Sums::operator+=(const Sums& other) {
  for (size_t bucket = 0; bucket < lines.size(); ++bucket) {
    lines[bucket] += other.lines[bucket];
    for (size_t metric = 0; metric < tallies[bucket].size(); ++metric)
      tallies[bucket][metric]->add(*other.tallies[bucket][metric]);
  }
}

void Evaluation::add(std::span<const Segment> segments) {
  sum_lines(
      segments.size(), sums_, [&] { return none(); },
      [&](Sums& block, size_t i) {
        const size_t bucket = buckets_.of(segments[i].source_words);
        ++block.lines[bucket];
        for (const auto& tally : block.tallies[bucket]) tally->add(segments[i]);
      });
}

int64_t Evaluation::lines() const {
  return std::accumulate(sums_.lines.begin(), sums_.lines.end(), int64_t{0});
}

Report Evaluation::report(size_t metric) const {
  const std::unique_ptr<Tally> whole = metrics_[metric]->tally(options_);
  for (const auto& tallies : sums_.tallies) whole->add(*tallies[metric]);
  return whole->report();
}

}  // namespace fovea::metrics
