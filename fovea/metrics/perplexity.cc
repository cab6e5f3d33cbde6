#include "fovea/metrics/perplexity.h"

#include <charconv>
#include <cmath>

namespace fovea::metrics {
namespace {

// The whole of `text` as a number.
template <typename T>
bool parse(std::string_view text, T& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

}  // namespace

PerplexityCounts& PerplexityCounts::operator+=(const PerplexityCounts& other) {
  log_prob += other.log_prob;
  tokens += other.tokens;
  return *this;
}

double perplexity(const PerplexityCounts& counts) {
  return counts.tokens == 0 ? 1 : std::exp(-counts.log_prob / static_cast<double>(counts.tokens));
}

std::optional<PerplexityCounts> parse_log_prob(std::string_view line) {
  PerplexityCounts counts;
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  // More columns, and an alignment behind |||, may follow.
  const std::string_view rest = line.substr(tab + 1);
  if (!parse(line.substr(0, tab), counts.log_prob) ||
      !parse(rest.substr(0, rest.find_first_of(" \t")), counts.tokens))
    return std::nullopt;
  constexpr double kRounding = 1e-3;
  if (!(counts.log_prob <= kRounding) || counts.tokens < 0) return std::nullopt;  // NaN compares with nothing
  return counts;
}

}  // namespace fovea::metrics
