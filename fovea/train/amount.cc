#include "fovea/train/amount.h"

#include <array>
#include <charconv>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"

namespace fovea::train {
namespace {

constexpr std::string_view kUnits = "uesmh";

}  // namespace

Amount Amount::parse(std::string_view text) {
  constexpr double kMost = 1e15;
  Amount amount;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, amount.count, std::chars_format::fixed);
  const bool has_unit =
      error == std::errc() && end - rest == 1 && kUnits.find(*rest) != std::string_view::npos;
  check(has_unit && amount.count >= 0 && amount.count <= kMost, "amount",
        "{} is no amount of training: expected updates as 300u, epochs as 10e, or seconds, minutes or "
        "hours as 80s, 20m, 2h",
        quote(text));
  amount.unit = *rest;
  check(amount.unit != 'u' || amount.count == std::floor(amount.count), "amount",
        "{}: updates are whole numbers", quote(text));
  return amount;
}

std::string Amount::text() const {
  std::array<char, 64> digits;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), count, std::chars_format::fixed);
  return std::string(digits.data(), error == std::errc() ? end : digits.data()) + unit;
}

double Amount::measure(const Progress& progress) const {
  switch (unit) {
    case 'u':
      return static_cast<double>(progress.updates);
    case 'e':
      return progress.epochs;
    case 's':
      return progress.minutes * 60;
    case 'h':
      return progress.minutes / 60;
    default:
      return progress.minutes;
  }
}

bool Amount::reached(const Progress& progress) const { return count > 0 && measure(progress) >= count; }

bool Amount::passed(const Progress& before, const Progress& now) const {
  return count > 0 && std::floor(measure(now) / count) > std::floor(measure(before) / count);
}

}  // namespace fovea::train
