#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "fovea/cli/bench_cases.h"
#include "tests/cli/run_command.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(Bench, JsonIsOneObjectALineWithItsFigures) {
  const Ran ran = run_command({"bench", "gemm", "--filter", "x512x2048", "--rounds", "1", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("GFLOP/s"));
  std::istringstream lines(ran.out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    const auto figure = nlohmann::json::parse(line);
    names.push_back(figure.at("name"));
    EXPECT_GT(figure.at("ms").get<double>(), 0);
    EXPECT_GT(figure.at("share_of_peak").get<double>(), 0);
    // 2 * 512 * 2048 flops for each of the first size's rows.
    const double rows = names.back() == "gemm/1x512x2048" ? 1 : 512;
    EXPECT_NEAR(figure.at("gflops").get<double>() * figure.at("ms").get<double>(), rows * 2.097152,
                rows * 1e-6);
  }
  EXPECT_THAT(names, ::testing::ElementsAre("gemm/512x512x2048", "gemm/1x512x2048"));
}

TEST(Bench, TheTableShowsTheMachinesLimitFirst) {
  const Ran ran = run_command({"bench", "gemm", "--filter", "64x64x64", "--rounds", "1", "--threads", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, MatchesRegex("[a-z0-9]+ on 1 thread: f32 FMA [0-9.]+ GFLOP/s, memory [0-9.]+ GB/s\n\n"
                                    "case +best ms +rate +of peak\n"
                                    "gemm/64x64x64 +[0-9.]+ +[0-9.]+ GFLOP/s +[0-9.]+ %\n"));
}

TEST(Bench, AdditiveAttentionCountsElements) {
  const Ran ran =
      run_command({"bench", "--filter", "additive_fwd_bwd/64x30x30x256", "--rounds", "1", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto figure = nlohmann::json::parse(ran.out);
  EXPECT_NEAR(figure.at("gelements").get<double>() * figure.at("ms").get<double>(), 64 * 30 * 30 * 256 * 1e-6,
              1e-6);
}

TEST(Bench, ProductsWithWeightsFromMemoryCountBytes) {
  const Ran ran = run_command({"bench", "gemv", "--filter", "1x512x512", "--rounds", "1", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::istringstream lines(ran.out);
  for (const double bytes_of_weight : {4.0, 1.0}) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line)) << ran.out;
    const auto figure = nlohmann::json::parse(line);
    const double megabytes = figure.at("gbs").get<double>() * figure.at("ms").get<double>();
    EXPECT_NEAR(megabytes, 1e-6 * 512 * 512 * bytes_of_weight, 3e-3) << line;
  }
}

TEST(Bench, StepsOfPictureModelsRun) {
  const Ran ran = run_command({"bench", "pictures", "--filter", "train/c", "--rounds", "1", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::istringstream lines(ran.out);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    const auto figure = nlohmann::json::parse(line);
    names.push_back(figure.at("name"));
    EXPECT_GT(figure.at("ms").get<double>(), 0) << line;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("train/captioner", "train/cnn"));
}

TEST(Bench, EveryGroupHasCasesWithNamesOfTheirOwnAndWork) {
  std::set<std::string> names;
  for (const cli::BenchGroup& group : cli::bench_groups()) {
    const std::vector<cli::BenchCase> cases = group.cases();
    EXPECT_FALSE(cases.empty()) << group.name;
    for (const cli::BenchCase& c : cases) {
      EXPECT_TRUE(names.insert(c.name).second) << c.name << " is there twice";
      EXPECT_GT(c.gflop, 0) << c.name;
    }
  }
}

TEST(Bench, AReaderWhoLeavesEarlyEndsIt) {
  const Ran ran = run_command({"bench", "gemm"}, {}, Stdout::kClosedPipe);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
}

}  // namespace
}  // namespace fovea::testing
