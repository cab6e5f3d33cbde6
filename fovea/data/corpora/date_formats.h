// Ways to write a date in English.
//
// A pattern is text with these fields, here for Tuesday 3 March 1998:
//   {d} 3   {dd} 03   {nth} 3rd   {ordinal} third
//   {m} 3   {mm} 03   {mon} Mar   {month} March
//   {yyyy} 1998   {yy} 98   {year} nineteen ninety-eight
//   {wd} Tue   {weekday} Tuesday
// What cannot be seen from a line is agreed on: slashes put the month first (3/28/1998), dots and hyphens the day (28.3.1998),
// unless four digits of a year lead; years of two digits are 1969 to 2068, as in POSIX.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace fovea::data {

// The years that patterns with {yy} can write.
inline constexpr int kFirstShortYear = 1969, kLastShortYear = 2068;

std::span<const std::string_view> date_patterns();
std::string write_date(std::string_view pattern, std::chrono::year_month_day date);
// 1900 to 2099: "nineteen hundred", "nineteen oh five", "two thousand", "two thousand and five", "twenty twenty-one".
std::string year_in_words(int year);

}  // namespace fovea::data
