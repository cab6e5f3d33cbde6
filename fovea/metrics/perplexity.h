// Perplexity: how many words a model hesitates between, exp(-sum of log p / tokens). log p are natural logarithms; the end
// of a line is a token as well. Counts add up over lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fovea::metrics {

struct PerplexityCounts {
  double log_prob = 0;
  int64_t tokens = 0;

  PerplexityCounts& operator+=(const PerplexityCounts& other);
};

// Infinite for a word of probability 0; 1 of no tokens.
double perplexity(const PerplexityCounts& counts);

// A line that says "LOG_PROB<tab>TOKENS", as fovea score prints it: the sum of log p over the tokens of a line, and how
// many they are. Nothing where it does not, or where LOG_PROB is above 0 by more than rounding explains.
std::optional<PerplexityCounts> parse_log_prob(std::string_view line);

}  // namespace fovea::metrics
