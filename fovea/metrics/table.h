// The metrics by name. To add one: NAME.{h,cc} with its counts and its score, its row in table.cc, its test.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "fovea/base/link.h"
#include "fovea/metrics/perplexity.h"

namespace fovea::metrics {

// What is known of a line; a metric reads its part.
struct Segment {
  std::string_view hypothesis;  // text
  std::span<const std::string_view> references;
  std::span<const Link> links, gold;  // links
  PerplexityCounts log_prob;          // log_probs
  int64_t source_words = 0;
};
enum class Reads { kText, kLinks, kLogProbs };

struct MetricOptions {
  size_t references = 1;              // of each line
  std::string_view tokenize = "13a";  // BLEU's: a name in bleu_tokenizers.h
  bool lowercase = false;
};

struct Report {
  double score = 0;
  std::string text;                // the score for people, with what else there is to say
  std::string signature;           // empty for a metric that can be computed in one way only
  nlohmann::ordered_json details;  // an object: the numbers behind the score
};

// Counts of lines, and the score of their sum.
class Tally {
 public:
  virtual ~Tally() = default;
  virtual void add(const Segment& segment) = 0;
  // `other` is of the same metric.
  virtual void add(const Tally& other) = 0;
  virtual Report report() const = 0;
};

struct Metric {
  std::string_view name;   // for flags and JSON
  std::string_view title;  // as papers write it
  std::string_view what;
  Reads reads;
  std::unique_ptr<Tally> (*tally)(const MetricOptions&);
};

std::span<const Metric> metric_table();
// Throws for an unknown name.
const Metric& metric_named(std::string_view name);

}  // namespace fovea::metrics
