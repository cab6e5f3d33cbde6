// Which sequences run side by side: those of like lengths, so that little is padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace fovea::data {

// The indices of `lengths`, longest first, equals in their order. If memory does not suffice for the longest, that shows at once.
std::vector<size_t> longest_first(std::span<const int64_t> lengths);

struct BatchLimits {
  int64_t rows;                                          // sequences in a batch
  int64_t places = std::numeric_limits<int64_t>::max();  // rows times the longest length, padding included
};

// longest_first(lengths), cut into batches. A sequence that is longer than all places is a batch of its own.
std::vector<std::vector<size_t>> length_batches(std::span<const int64_t> lengths, const BatchLimits& limits);

}  // namespace fovea::data
