#include "fovea/base/scratch.h"

#include <gtest/gtest.h>

#include "fovea/base/resident.h"

namespace fovea {
namespace {

TEST(Scratch, PiecesAreAlignedAndDoNotOverlap) {
  Scratch scratch;
  char* last_end = nullptr;
  for (int64_t n : {1, 63, 64, 65, 100'000, 3'000'000}) {
    char* piece = scratch.take<char>(n);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 64, 0u);
    piece[0] = piece[n - 1] = 1;
    EXPECT_NE(piece, last_end);
    last_end = piece;
  }
}

TEST(Scratch, AnInnerScopeGivesBackWhatItTook) {
  Scratch outer;
  outer.take<float>(10);
  float* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    Scratch inner;
    float* piece = inner.take<float>(1000);
    if (first) {
      EXPECT_EQ(piece, first);
    }
    first = piece;
  }
}

// A decoder whose cache grows by one asks for a little more each time.
TEST(Scratch, SlowlyGrowingRequestsDoNotPileUp) {
  {
    Scratch first;
    first.take<char>(1 << 20)[0] = 1;
  }
  const int64_t before = resident_bytes();
  for (int64_t n = 1 << 20; n < (4 << 20); n += 4096) {
    Scratch scratch;
    char* piece = scratch.take<char>(n);
    for (int64_t i = 0; i < n; i += 4096) piece[i] = 1;
  }
  EXPECT_LT(resident_bytes() - before, 40 << 20);
}

}  // namespace
}  // namespace fovea
