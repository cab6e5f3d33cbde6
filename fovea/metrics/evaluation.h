// Several metrics over many lines, as a whole and by the length of the source, all from the same counts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fovea/metrics/length_buckets.h"
#include "fovea/metrics/table.h"

namespace fovea::metrics {

class Evaluation {
 public:
  // The metrics live as long as the table does.
  Evaluation(std::vector<const Metric*> metrics, const MetricOptions& options,
             LengthBuckets buckets = LengthBuckets());

  // On all threads. Lines may come in as many calls as they like: only sums are kept.
  void add(std::span<const Segment> segments);

  std::span<const Metric* const> metrics() const { return metrics_; }
  const LengthBuckets& buckets() const { return buckets_; }
  int64_t lines() const;
  int64_t lines(size_t bucket) const { return sums_.lines[bucket]; }
  // Of all lines, and of those in a bucket; `metric` counts as in metrics().
  Report report(size_t metric) const;
  Report report(size_t metric, size_t bucket) const { return sums_.tallies[bucket][metric]->report(); }

 private:
  struct Sums {
    std::vector<std::vector<std::unique_ptr<Tally>>> tallies;  // [bucket][metric]
    std::vector<int64_t> lines;                                // [bucket]
    void operator+=(const Sums& other);
  };
  Sums none() const;

  std::vector<const Metric*> metrics_;
  MetricOptions options_;
  LengthBuckets buckets_;
  Sums sums_;
};

}  // namespace fovea::metrics
