// Dates as people write them, and what they mean.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "fovea/data/corpora.h"
#include "fovea/data/corpora/date_formats.h"

namespace fovea::data {
namespace {

using namespace std::chrono;

constexpr year_month_day kDate = year(1998) / March / 3;  // a Tuesday

TEST(Dates, AreWrittenByTheirPattern) {
  const std::pair<const char*, const char*> rows[] = {
      {"{yyyy}-{mm}-{dd}", "1998-03-03"},
      {"{d}.{m}.{yy}", "3.3.98"},
      {"{m}/{d}/{yyyy}", "3/3/1998"},
      {"{month} {nth}, {yyyy}", "March 3rd, 1998"},
      {"{dd}-{mon}-{yy}", "03-Mar-98"},
      {"{d} {month} '{yy}", "3 March '98"},
      {"{weekday} {d} {month} {yyyy}", "Tuesday 3 March 1998"},
      {"{wd}, {dd} {mon} {yyyy}", "Tue, 03 Mar 1998"},
      {"the {ordinal} of {month} {year}", "the third of March nineteen ninety-eight"},
  };
  for (const auto& [pattern, text] : rows) EXPECT_EQ(write_date(pattern, kDate), text);
}

TEST(Dates, OfTheShowcaseAreWrittenByPatternsToo) {
  const std::vector<std::string> shown = {write_date("{d} {month} {yyyy}", year(2021) / May / 2),
                                          write_date("{weekday}, {month} {d}, {yyyy}", kDate),
                                          write_date("{mm}/{dd}/{yyyy}", year(1999) / December / 25),
                                          write_date("the {ordinal} of {month} {year}", kDate),
                                          write_date("{dd}-{mon}-{yy}", year(1977) / July / 7)};
  EXPECT_THAT(corpus_named("dates").showcase, ::testing::ElementsAreArray(shown));
}

TEST(Dates, HaveOrdinalsInFiguresAndInWords) {
  const std::map<unsigned, std::string> expected = {
      {1, "1st first"},           {2, "2nd second"},         {3, "3rd third"},
      {4, "4th fourth"},          {5, "5th fifth"},          {8, "8th eighth"},
      {9, "9th ninth"},           {11, "11th eleventh"},     {12, "12th twelfth"},
      {13, "13th thirteenth"},    {20, "20th twentieth"},    {21, "21st twenty-first"},
      {22, "22nd twenty-second"}, {23, "23rd twenty-third"}, {30, "30th thirtieth"},
      {31, "31st thirty-first"},
  };
  for (const auto& [number, text] : expected)
    EXPECT_EQ(write_date("{nth} {ordinal}", year(2000) / January / day(number)), text);
}

TEST(Dates, HaveYearsInWords) {
  const std::pair<int, const char*> rows[] = {{1900, "nineteen hundred"},  {1905, "nineteen oh five"},
                                              {1950, "nineteen fifty"},    {1998, "nineteen ninety-eight"},
                                              {2000, "two thousand"},      {2005, "two thousand and five"},
                                              {2010, "twenty ten"},        {2013, "twenty thirteen"},
                                              {2021, "twenty twenty-one"}, {2040, "twenty forty"}};
  for (const auto& [number, words] : rows) EXPECT_EQ(year_in_words(number), words);
}

TEST(Dates, UseEveryPatternAndAllCases) {
  std::map<std::string, std::string> meant;
  for (const Pair& pair : make_corpus("dates").train) meant[pair.source] = pair.target;
  // Short years stay within a hundred years, so that they have one meaning.
  for (const auto& [source, target] : meant)
    if (source.find('\'') != std::string::npos) {
      EXPECT_TRUE(target >= "1969" && target < "2069") << source << " " << target;
    }
  size_t small = 0, capital = 0, days_of_the_week = 0;
  for (const auto& [source, target] : meant) {
    small += source.find("of march") != std::string::npos || source.find("of may") != std::string::npos;
    capital += source.find("MAY") != std::string::npos;
    days_of_the_week += source.find("Tue") != std::string::npos;
    EXPECT_THAT(target, ::testing::MatchesRegex("(19[5-9]|20[0-4])[0-9]-[01][0-9]-[0-3][0-9]"));
  }
  EXPECT_GT(small, 10u);
  EXPECT_GT(capital, 10u);
  EXPECT_GT(days_of_the_week, 100u);
}

TEST(Dates, PatternsAreNotTwiceInTheTable) {
  const auto patterns = date_patterns();
  const std::set<std::string_view> different(patterns.begin(), patterns.end());
  EXPECT_EQ(different.size(), patterns.size());
  EXPECT_GE(patterns.size(), 50u);
}

}  // namespace
}  // namespace fovea::data
