#include "fovea/cli/number_list.h"

#include <charconv>
#include <optional>
#include <set>

#include "fovea/base/quote.h"
#include "fovea/cli/options.h"

namespace fovea::cli {
namespace {

std::optional<int> number_of(std::string_view text) {
  constexpr int kMost = 9999;
  int number = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number <= kMost ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<int> number_list(std::string_view text, std::string_view option) {
  std::set<int> numbers;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const size_t dash = part.find('-');
    const std::optional<int> first = number_of(part.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    expect_usage(first && last && *first <= *last, "{}: {}: expected numbers and ranges, as 0,2-4", option,
                 quote(text));
    for (int number = *first; number <= *last; ++number) numbers.insert(number);
    if (comma == std::string_view::npos) return {numbers.begin(), numbers.end()};
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace fovea::cli
