// dates: a date as people write it, and as ISO 8601 has it. For a model that reads characters.
#include "fovea/data/blanks.h"
#include "fovea/data/corpora/date_formats.h"
#include "fovea/data/corpora/kinds.h"

namespace fovea::data {
namespace {

using namespace std::chrono;

constexpr std::string_view kTargets[] = {"iso"};
constexpr std::string_view kShowcase[] = {"2 May 2021", "Tuesday, March 3, 1998", "12/25/1999",
                                          "the third of March nineteen ninety-eight", "07-Jul-77"};
// Every day from here on is as likely as every other.
constexpr sys_days kFirst = year(1950) / January / 1, kEnd = year(2050) / January / 1;
constexpr int64_t kMostWords = 9;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

void draw(Random& random, const Recipe& recipe, Pair& pair) {
  const year_month_day date(kFirst + days(random.below((kEnd - kFirst).count())));
  const auto patterns = date_patterns();
  const auto pattern = patterns[static_cast<size_t>(random.below(static_cast<int64_t>(patterns.size())))];
  const int y = static_cast<int>(date.year());
  const bool short_year = pattern.find("{yy}") != std::string_view::npos;
  if (short_year && (y < kFirstShortYear || y > kLastShortYear)) return;
  std::string text = write_date(pattern, date);
  const int64_t style = random.below(20);  // of 20 lines 4 are in small letters and 1 in capitals
  for (char& c : text) c = style < 4 ? lower(c) : style == 4 ? upper(c) : c;
  const int64_t words = count_words(text);
  if (words < recipe.min_words || words > recipe.max_words) return;
  pair.source = std::move(text);
  pair.target = write_date("{yyyy}-{mm}-{dd}", date);
}

}  // namespace

CorpusKind dates_corpus() {
  return {.name = "dates",
          .what = "dates in all the ways people write them, as year-month-day",
          .source = "text",
          .targets = kTargets,
          .tokenizer = "char",
          .train = 20000,
          .valid = 500,
          .test = 1000,
          .min_words = 1,
          .max_words = kMostWords,
          .fewest_words = 1,
          .most_words = kMostWords,
          .showcase = kShowcase,
          .draw = draw};
}

}  // namespace fovea::data
