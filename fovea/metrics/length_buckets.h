// Lines sorted by the length of their source: with edges 10, 20, 30 the buckets are up to 10, 11-20, 21-30, over 30.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/error.h"

namespace fovea::metrics {

class LengthBuckets {
 public:
  // The longest length of each bucket but the last, which has no end; ascending, from 0 on. None: a single bucket.
  explicit LengthBuckets(std::vector<int64_t> edges = {}) : edges_(std::move(edges)) {
    for (size_t i = 0; i < edges_.size(); ++i)
      check(edges_[i] > (i == 0 ? -1 : edges_[i - 1]), "length",
            "buckets of lengths that end at {}: expected numbers that ascend, from 0 on",
            fmt::format("{}", fmt::join(edges_, ", ")));
  }

  size_t size() const { return edges_.size() + 1; }
  // The bucket of a length.
  size_t of(int64_t length) const {
    return static_cast<size_t>(std::lower_bound(edges_.begin(), edges_.end(), length) - edges_.begin());
  }
  // The lengths of a bucket, both ends included; to() is -1 where there is no end.
  int64_t from(size_t bucket) const { return bucket == 0 ? 0 : edges_[bucket - 1] + 1; }
  int64_t to(size_t bucket) const { return bucket == edges_.size() ? -1 : edges_[bucket]; }
  std::string name(size_t bucket) const {
    if (to(bucket) < 0) return bucket == 0 ? "all" : fmt::format("over {}", from(bucket) - 1);
    if (bucket == 0) return fmt::format("up to {}", to(0));
    return from(bucket) == to(bucket) ? fmt::format("{}", to(bucket))
                                      : fmt::format("{}-{}", from(bucket), to(bucket));
  }

 private:
  std::vector<int64_t> edges_;
};

}  // namespace fovea::metrics
