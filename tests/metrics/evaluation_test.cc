#include "fovea/metrics/evaluation.h"

#include <gtest/gtest.h>

#include "fovea/base/parallel.h"
#include "fovea/metrics/bleu.h"
#include "fovea/metrics/exact.h"

namespace fovea::metrics {
namespace {

TEST(LengthBuckets, EveryLengthHasItsPlace) {
  const LengthBuckets buckets({2, 3, 10});
  const std::vector<size_t> expected = {0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3};
  for (size_t length = 0; length < expected.size(); ++length)
    EXPECT_EQ(buckets.of(static_cast<int64_t>(length)), expected[length]) << length;
  std::vector<std::string> names;
  for (size_t bucket = 0; bucket < buckets.size(); ++bucket) names.push_back(buckets.name(bucket));
  EXPECT_EQ(names, (std::vector<std::string>{"up to 2", "3", "4-10", "over 10"}));
  EXPECT_EQ(buckets.from(2), 4);
  EXPECT_EQ(buckets.to(2), 10);
  EXPECT_EQ(buckets.to(3), -1);
}

TEST(LengthBuckets, WithoutEdgesThereIsOne) {
  EXPECT_EQ(LengthBuckets().size(), 1u);
  EXPECT_EQ(LengthBuckets().of(12345), 0u);
  EXPECT_EQ(LengthBuckets().name(0), "all");
}

TEST(LengthBuckets, EdgesMustAscend) {
  EXPECT_THROW(LengthBuckets({3, 3}), Error);
  EXPECT_THROW(LengthBuckets({5, 2}), Error);
  EXPECT_THROW(LengthBuckets({-1}), Error);
}

TEST(MetricTable, UnknownNamesAreToldTheNearest) {
  EXPECT_EQ(metric_named("chrf++").title, "chrF2++");
  try {
    metric_named("blue");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[metric] 'blue' is not a metric: did you mean 'bleu'?");
  }
}

// A few hundred lines of which every third is wrong, and everything a metric may want to read.
struct Lines {
  std::vector<std::string> hypotheses, references;
  std::vector<std::string_view> views;
  std::vector<Link> diagonal = {{0, 0}, {1, 1}}, half = {{0, 0}};
  std::vector<Segment> segments;

  Lines() {
    for (int i = 0; i < 500; ++i) {
      references.push_back(fmt::format("line number {} of a few , it says .", i));
      hypotheses.push_back(i % 3 == 0 ? "line of a few" : references.back());
    }
    views.assign(references.begin(), references.end());
    for (size_t i = 0; i < views.size(); ++i) {
      Segment segment;
      segment.hypothesis = hypotheses[i];
      segment.references = {&views[i], 1};
      segment.links = i % 2 == 0 ? half : diagonal;
      segment.gold = diagonal;
      segment.log_prob = {-0.1 * static_cast<double>(i % 7), 3};
      segment.source_words = static_cast<int64_t>(i % 10);
      segments.push_back(segment);
    }
  }
};

std::vector<const Metric*> every_metric() {
  std::vector<const Metric*> all;
  for (const Metric& metric : metric_table()) all.push_back(&metric);
  return all;
}

TEST(Evaluation, TheWholeIsTheMetricOfAllLines) {
  const Lines lines;
  Evaluation evaluation({&metric_named("exact"), &metric_named("bleu")}, {});
  evaluation.add(lines.segments);
  EXPECT_EQ(evaluation.lines(), 500);
  EXPECT_EQ(evaluation.report(0).score, exact(lines.hypotheses, lines.references));
  EXPECT_EQ(evaluation.report(1).score, bleu(lines.hypotheses, lines.references));
  EXPECT_EQ(evaluation.report(1).signature, bleu_signature(1));
}

TEST(Evaluation, ABucketIsTheEvaluationOfItsLinesAlone) {
  const Lines lines;
  Evaluation all(every_metric(), {}, LengthBuckets({3, 4}));
  all.add(lines.segments);
  for (size_t bucket = 0; bucket < 3; ++bucket) {
    std::vector<Segment> some;
    for (const Segment& segment : lines.segments)
      if (all.buckets().of(segment.source_words) == bucket) some.push_back(segment);
    Evaluation alone(every_metric(), {});
    alone.add(some);
    EXPECT_EQ(all.lines(bucket), static_cast<int64_t>(some.size()));
    for (size_t metric = 0; metric < every_metric().size(); ++metric)
      EXPECT_NEAR(all.report(metric, bucket).score, alone.report(metric).score, 1e-12)
          << every_metric()[metric]->name << " of bucket " << bucket;
  }
}

TEST(Evaluation, ThreadsAndPiecesDoNotShow) {
  const Lines lines;
  Evaluation once(every_metric(), {}, LengthBuckets({5}));
  set_threads(1);
  once.add(lines.segments);
  set_threads(3);
  Evaluation pieces(every_metric(), {}, LengthBuckets({5})), again(every_metric(), {}, LengthBuckets({5}));
  again.add(lines.segments);
  for (size_t i = 0; i < lines.segments.size(); i += 77)
    pieces.add(std::span(lines.segments).subspan(i, std::min<size_t>(77, lines.segments.size() - i)));
  set_threads(0);
  for (size_t metric = 0; metric < every_metric().size(); ++metric) {
    EXPECT_EQ(once.report(metric).score, again.report(metric).score) << every_metric()[metric]->name;
    EXPECT_NEAR(once.report(metric).score, pieces.report(metric).score, 1e-12)
        << every_metric()[metric]->name;
  }
}

}  // namespace
}  // namespace fovea::metrics
