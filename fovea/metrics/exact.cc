#include "fovea/metrics/exact.h"

#include <algorithm>

#include "fovea/metrics/lowercase.h"
#include "fovea/metrics/sum_lines.h"
#include "fovea/metrics/words.h"

namespace fovea::metrics {

ExactCounts& ExactCounts::operator+=(const ExactCounts& other) {
  matches += other.matches;
  lines += other.lines;
  return *this;
}

ExactCounts exact_counts(std::string_view hypothesis, std::span<const std::string_view> references,
                         bool lower) {
  const auto same = [&](std::string_view reference) {
    return lower ? strip_end(lowercase(hypothesis)) == strip_end(lowercase(reference))
                 : strip_end(hypothesis) == strip_end(reference);
  };
  return {.matches = std::any_of(references.begin(), references.end(), same), .lines = 1};
}

double exact_score(const ExactCounts& counts) {
  return counts.lines == 0 ? 0
                           : 100 * static_cast<double>(counts.matches) / static_cast<double>(counts.lines);
}

double exact(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  const auto count = [](std::string_view hypothesis, std::string_view reference) {
    return exact_counts(hypothesis, {&reference, 1});
  };
  return exact_score(sum_pairs<ExactCounts>("exact", hypotheses, references, count));
}

}  // namespace fovea::metrics
