#include "fovea/train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/train/amount.h"
#include "tests/error_message.h"

namespace fovea::train {
namespace {

using ::testing::HasSubstr;

double factor(const char* name, int64_t update, int64_t warmup, int64_t length = 0) {
  return schedule_factor(schedule_named(name), {.updates = update - 1}, warmup,
                         {static_cast<double>(length), 'u'});
}

TEST(Schedule, EveryOneWarmsUpInAStraightLine) {
  for (const Schedule& schedule : schedule_table()) {
    EXPECT_DOUBLE_EQ(factor(schedule.name, 1, 200, 1000), 1.0 / 200) << schedule.name;
    EXPECT_DOUBLE_EQ(factor(schedule.name, 100, 200, 1000), 0.5) << schedule.name;
    EXPECT_DOUBLE_EQ(factor(schedule.name, 200, 200, 1000), 1) << schedule.name;
    EXPECT_NEAR(factor(schedule.name, 201, 200, 1000), 1, 0.01) << schedule.name;
    EXPECT_GT(factor(schedule.name, 1, 0, 1000), 0.99) << schedule.name;  // none
  }
}

TEST(Schedule, ConstantStays) { EXPECT_EQ(factor("constant", 1'000'000, 200), 1); }

TEST(Schedule, InverseSquareRootHalvesWhereTheUpdateIsFourTimesTheWarmUp) {
  EXPECT_DOUBLE_EQ(factor("inv-sqrt", 800, 200), 0.5);
  EXPECT_DOUBLE_EQ(factor("inv-sqrt", 20'000, 200), 0.1);
  EXPECT_DOUBLE_EQ(factor("inv-sqrt", 4, 0), 0.5);
}

TEST(Schedule, CosineIsHalfInTheMiddleAndZeroFromTheEndOn) {
  EXPECT_NEAR(factor("cosine", 600, 200, 1000), 0.5, 1e-12);
  EXPECT_NEAR(factor("cosine", 400, 200, 1000), (1 + std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_GT(factor("cosine", 999, 200, 1000), 0);
  EXPECT_EQ(factor("cosine", 1000, 200, 1000), 0);
  EXPECT_EQ(factor("cosine", 5000, 200, 1000), 0);
}

TEST(Schedule, CosineTakesItsLengthInEpochsAndMinutesToo) {
  const auto at = [](double epochs, double minutes, const char* length) {
    return schedule_factor(schedule_named("cosine"), {.updates = 500, .epochs = epochs, .minutes = minutes},
                           200, Amount::parse(length));
  };
  EXPECT_NEAR(at(5, 1, "10e"), 0.5, 1e-12);
  EXPECT_EQ(at(10, 1, "10e"), 0);
  EXPECT_NEAR(at(5, 15, "20m"), (1 - std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_EQ(
      schedule_factor(schedule_named("cosine"), {.updates = 99, .epochs = 5}, 200, Amount::parse("10e")),
      0.5);
}

TEST(Schedule, AnUnknownNameNamesTheNearest) {
  EXPECT_EQ(error_of([] { schedule_named("cosin"); }),
            "[schedule] there is no 'cosin': did you mean 'cosine'?");
}

TEST(Amount, IsReadAndWritten) {
  for (const char* text : {"300u", "10e", "20m", "80s", "2h", "0u", "0.5e", "1.25m", "1000000000000u"}) {
    EXPECT_EQ(Amount::parse(text).text(), text);
  }
  EXPECT_EQ(Amount::parse("20m"), (Amount{20, 'm'}));
  for (const char* text :
       {"", "u", "300", "300 u", "-3u", "3x", "3uu", "1e3u", "nanu", "infm", "1e", "99999999999999999999u"})
    if (std::string(text) != "1e") {
      EXPECT_THAT(error_of([&] { Amount::parse(text); }), HasSubstr("is no amount of training")) << text;
    }
  EXPECT_THAT(error_of([] { Amount::parse("1.5u"); }), HasSubstr("updates are whole numbers"));
}

TEST(Amount, IsReachedInItsOwnUnit) {
  const Progress at{.updates = 300, .epochs = 2.5, .minutes = 20};
  EXPECT_TRUE(Amount::parse("300u").reached(at));
  EXPECT_FALSE(Amount::parse("301u").reached(at));
  EXPECT_TRUE(Amount::parse("2e").reached(at));
  EXPECT_FALSE(Amount::parse("3e").reached(at));
  EXPECT_TRUE(Amount::parse("20m").reached(at));
  EXPECT_TRUE(Amount::parse("1200s").reached(at));
  EXPECT_FALSE(Amount::parse("1201s").reached(at));
  EXPECT_TRUE(Amount::parse("0.3h").reached(at));
  EXPECT_FALSE(Amount::parse("0.4h").reached(at));
  EXPECT_FALSE(Amount::parse("0u").reached(at));
}

TEST(Amount, OfAFrequencyIsPassedAtEachMultipleOnce) {
  int64_t times = 0;
  for (int64_t u = 1; u <= 1000; ++u)
    times += Amount::parse("100u").passed({.updates = u - 1, .epochs = 0, .minutes = 0},
                                          {.updates = u, .epochs = 0, .minutes = 0});
  EXPECT_EQ(times, 10);
  const Progress before{.updates = 9, .epochs = 0.97, .minutes = 1},
      now{.updates = 10, .epochs = 1, .minutes = 3.5};
  EXPECT_TRUE(Amount::parse("1e").passed(before, now));
  EXPECT_FALSE(Amount::parse("2e").passed(before, now));
  EXPECT_TRUE(Amount::parse("2m").passed(before, now));
  EXPECT_FALSE(Amount::parse("5m").passed(before, now));
  EXPECT_FALSE(Amount::parse("0m").passed(before, now));
}

}  // namespace
}  // namespace fovea::train
