// Exact match: the share of lines that are their reference, or one of several, character for character. White space
// at the end of a line does not count.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fovea::metrics {

struct ExactCounts {
  int64_t matches = 0, lines = 0;

  ExactCounts& operator+=(const ExactCounts& other);
};

ExactCounts exact_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                         bool lowercase = false);
// 0 to 100; 0 of no lines.
double exact_score(const ExactCounts& counts);

// Of a corpus with one reference for each line. Throws where the numbers of lines differ.
double exact(std::span<const std::string> hypotheses, std::span<const std::string> references);

}  // namespace fovea::metrics
