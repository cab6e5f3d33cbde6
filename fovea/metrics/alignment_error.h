// Alignment error rate (Och and Ney, 2003) of found links A against a gold alignment of sure links S and possible
// links P, where every sure link is also a possible one:
//
//   precision = |A n P| / |A|    recall = |A n S| / |S|    AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)
//
// all in percent. A link that is given twice counts once, and is sure if one of the two is. Whether a found link calls
// itself sure plays no part. Counts add up over lines.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/base/link.h"

namespace fovea::metrics {

struct AlignmentCounts {
  int64_t found = 0, sure = 0;                 // |A|, |S|
  int64_t found_sure = 0, found_possible = 0;  // |A n S|, |A n P|

  AlignmentCounts& operator+=(const AlignmentCounts& other);
};

struct AlignmentScore {
  double error_rate = 0;  // 0 where there is nothing to find and nothing was found
  double precision = 0, recall = 0;
};

AlignmentCounts alignment_counts(std::span<const Link> found, std::span<const Link> gold);
AlignmentScore alignment_score(const AlignmentCounts& counts);

}  // namespace fovea::metrics
