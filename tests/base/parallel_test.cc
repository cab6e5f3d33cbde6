#include "fovea/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {
namespace {

struct Threads {
  explicit Threads(int n) { set_threads(n); }
  ~Threads() { set_threads(0); }
};

TEST(ParallelFor, EveryBlockRunsOnce) {
  for (const int n : {1, 2, 5}) {
    const Threads threads(n);
    for (const int64_t blocks : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(blocks));
      parallel_for(blocks, [&](int64_t block) { ++runs[static_cast<size_t>(block)]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, RangesCoverEverything) {
  const Threads threads(2);
  for (const int64_t n : {0, 1, 9, 10, 11}) {
    std::atomic<int64_t> sum{0};
    parallel_ranges(n, 5, [&](int64_t begin, int64_t end) {
      EXPECT_LE(end - begin, 5);
      for (int64_t i = begin; i < end; ++i) sum += i + 1;
    });
    EXPECT_EQ(sum, n * (n + 1) / 2);
  }
}

TEST(ParallelFor, AnExceptionReachesTheCallerAndTheNextRunIsFine) {
  const Threads threads(2);
  EXPECT_THROW(parallel_for(10,
                            [](int64_t block) {
                              if (block == 7) fail("test", "block {}", block);
                            }),
               Error);
  std::atomic<int> runs{0};
  parallel_for(10, [&](int64_t) { ++runs; });
  EXPECT_EQ(runs, 10);
}

TEST(ParallelFor, InsideAnotherItRunsOnTheSameThread) {
  const Threads threads(2);
  std::atomic<int> runs{0};
  parallel_for(4, [&](int64_t) { parallel_for(5, [&](int64_t) { ++runs; }); });
  EXPECT_EQ(runs, 20);
}

TEST(Threads, ANegativeNumberIsAnError) { EXPECT_THROW(set_threads(-1), Error); }

}  // namespace
}  // namespace fovea
