#include "fovea/data/corpora/date_formats.h"

#include <fmt/format.h>

#include <array>

namespace fovea::data {
namespace {

using std::string_view;

constexpr string_view kPatterns[] = {
    // numbers alone
    "{yyyy}-{mm}-{dd}", "{yyyy}-{m}-{d}", "{yyyy}/{mm}/{dd}", "{yyyy}.{mm}.{dd}", "{yyyy}{mm}{dd}",
    "{dd}.{mm}.{yyyy}", "{d}.{m}.{yyyy}", "{d}. {m}. {yyyy}", "{d}.{m}.{yy}", "{dd}-{mm}-{yyyy}",
    "{mm}/{dd}/{yyyy}", "{m}/{d}/{yyyy}", "{m}/{d}/{yy}",
    // the day first
    "{d} {month} {yyyy}", "{dd} {month} {yyyy}", "{d} {month}, {yyyy}", "{d}. {month} {yyyy}",
    "{nth} {month} {yyyy}", "{nth} of {month} {yyyy}", "the {nth} of {month}, {yyyy}", "{d} {mon} {yyyy}",
    "{d} {mon}. {yyyy}", "{dd} {mon} {yy}", "{d}-{mon}-{yyyy}", "{dd}-{mon}-{yy}", "{d}/{mon}/{yyyy}",
    "{dd}{mon}{yyyy}", "{d} {month} '{yy}",
    // the month first
    "{month} {d}, {yyyy}", "{month} {d} {yyyy}", "{month} {nth}, {yyyy}", "{month} {nth} {yyyy}",
    "{month} the {nth}, {yyyy}", "{mon} {d}, {yyyy}", "{mon}. {d}, {yyyy}", "{mon} {dd} {yyyy}",
    "{mon} {nth}, '{yy}", "{mon}-{dd}-{yyyy}",
    // the year first
    "{yyyy} {month} {d}", "{yyyy} {mon} {dd}", "{yyyy}, {month} {nth}", "{yyyy}-{mon}-{dd}",
    // with the day of the week
    "{weekday} {d} {month} {yyyy}", "{weekday}, {d} {month} {yyyy}", "{weekday}, {month} {d}, {yyyy}",
    "{weekday}, the {nth} of {month} {yyyy}", "{wd} {d} {mon} {yyyy}", "{wd}, {dd} {mon} {yyyy}",
    "{wd} {mon} {dd} {yyyy}", "{wd}, {mon} {d}, '{yy}", "{wd} {dd}.{mm}.{yyyy}", "{wd} {m}/{d}/{yyyy}",
    // in words
    "the {ordinal} of {month} {year}", "the {ordinal} of {month}, {yyyy}", "{month} {ordinal}, {year}",
    "{month} the {ordinal}, {year}", "{ordinal} {month} {year}", "{weekday} the {ordinal} of {month} {year}"};

constexpr string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};
constexpr string_view kWeekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                     "Thursday", "Friday", "Saturday"};
constexpr string_view kNumbers[] = {"zero",    "one",     "two",       "three",    "four",
                                    "five",    "six",     "seven",     "eight",    "nine",
                                    "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr string_view kTens[] = {"",      "",      "twenty",  "thirty", "forty",
                                 "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr string_view kOrdinals[] = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",      "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",    "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"};

// 0 to 99.
std::string in_words(int n) {
  if (n < 20) return std::string(kNumbers[n]);
  return n % 10 ? fmt::format("{}-{}", kTens[n / 10], kNumbers[n % 10]) : std::string(kTens[n / 10]);
}

// 1 to 31.
std::string ordinal_in_words(unsigned n) {
  if (n <= 20) return std::string(kOrdinals[n]);
  return n == 30 ? "thirtieth" : fmt::format("{}-{}", kTens[n / 10], kOrdinals[n % 10]);
}

string_view ending(unsigned day) {
  const bool teen = day / 10 == 1;
  return teen ? "th" : day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

}  // namespace

std::span<const string_view> date_patterns() { return kPatterns; }

std::string year_in_words(int year) {
  const int century = year / 100, rest = year % 100;
  if (century == 20 && rest == 0) return "two thousand";
  if (century == 20 && rest < 10) return fmt::format("two thousand and {}", in_words(rest));
  if (rest == 0) return fmt::format("{} hundred", in_words(century));
  return fmt::format("{}{} {}", in_words(century), rest < 10 ? " oh" : "", in_words(rest));
}

std::string write_date(string_view pattern, std::chrono::year_month_day date) {
  const int year = static_cast<int>(date.year());
  const auto month = static_cast<unsigned>(date.month()), day = static_cast<unsigned>(date.day());
  const string_view month_name = kMonths[month - 1];
  const string_view weekday = kWeekdays[std::chrono::weekday(date).c_encoding()];
  const auto field = [&](string_view name) -> std::string {
    if (name == "d") return fmt::format("{}", day);
    if (name == "dd") return fmt::format("{:02}", day);
    if (name == "nth") return fmt::format("{}{}", day, ending(day));
    if (name == "ordinal") return ordinal_in_words(day);
    if (name == "m") return fmt::format("{}", month);
    if (name == "mm") return fmt::format("{:02}", month);
    if (name == "mon") return std::string(month_name.substr(0, 3));
    if (name == "month") return std::string(month_name);
    if (name == "yyyy") return fmt::format("{:04}", year);
    if (name == "yy") return fmt::format("{:02}", year % 100);
    if (name == "year") return year_in_words(year);
    return std::string(name == "wd" ? weekday.substr(0, 3) : weekday);
  };
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      text += pattern[i];
      continue;
    }
    const size_t close = pattern.find('}', i);
    text += field(pattern.substr(i + 1, close - i - 1));
    i = close;
  }
  return text;
}

}  // namespace fovea::data
