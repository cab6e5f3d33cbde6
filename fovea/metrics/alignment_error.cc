#include "fovea/metrics/alignment_error.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace fovea::metrics {
namespace {

bool before(const Link& a, const Link& b) {
  return std::tie(a.source, a.target) < std::tie(b.source, b.target);
}
bool same(const Link& a, const Link& b) { return a.source == b.source && a.target == b.target; }

// In order, each pair of words once; the sure one of two.
std::vector<Link> distinct(std::span<const Link> links) {
  std::vector<Link> sorted(links.begin(), links.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Link& a, const Link& b) { return before(a, b) || (same(a, b) && a.sure > b.sure); });
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  return sorted;
}

double percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

AlignmentCounts& AlignmentCounts::operator+=(const AlignmentCounts& other) {
  found += other.found;
  sure += other.sure;
  found_sure += other.found_sure;
  found_possible += other.found_possible;
  return *this;
}

AlignmentCounts alignment_counts(std::span<const Link> found, std::span<const Link> gold) {
  const std::vector<Link> mine = distinct(found), right = distinct(gold);
  AlignmentCounts counts;
  counts.found = static_cast<int64_t>(mine.size());
  counts.sure = std::count_if(right.begin(), right.end(), [](const Link& link) { return link.sure; });
  for (const Link& link : mine) {
    const auto at = std::lower_bound(right.begin(), right.end(), link, before);
    if (at == right.end() || !same(*at, link)) continue;
    ++counts.found_possible;
    counts.found_sure += at->sure;
  }
  return counts;
}

AlignmentScore alignment_score(const AlignmentCounts& counts) {
  AlignmentScore y;
  if (counts.found + counts.sure > 0)
    y.error_rate = 100 - percent(counts.found_sure + counts.found_possible, counts.found + counts.sure);
  y.precision = percent(counts.found_possible, counts.found);
  y.recall = percent(counts.found_sure, counts.sure);
  return y;
}

}  // namespace fovea::metrics
