#include "fovea/run/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace fovea::testing {
namespace {

using run::Arena;
using run::Piece;

TEST(Arena, PiecesAreAlignedAndLieApart) {
  Arena arena;
  std::vector<Piece> pieces;
  const size_t sizes[] = {1, 64, 100, 0, 3 << 20, 5, (2 << 20) - 64, 2 << 20, 70 << 20, 9};
  for (const size_t bytes : sizes) {
    pieces.push_back(arena.take(bytes));
    EXPECT_EQ(pieces.back().bytes, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pieces.back().data) % 64, 0u);
    std::memset(pieces.back().data, static_cast<int>(pieces.size()), bytes);
  }
  for (size_t i = 0; i < pieces.size(); ++i)
    for (size_t b = 0; b < pieces[i].bytes; b += 61)
      ASSERT_EQ(pieces[i].data[b], static_cast<std::byte>(i + 1)) << "piece " << i << ", byte " << b;
}

TEST(Arena, APieceOutlivesItsArenaAndKeepsOneBlockAtMost) {
  const int64_t before = pool::stats().bytes_used;
  Piece kept;
  {
    Arena arena;
    kept = arena.take(1000);
    std::memset(kept.data, 7, 1000);
    for (int i = 0; i < 5; ++i) arena.take(4 << 20);
  }
  EXPECT_EQ(kept.data[999], std::byte{7});
  EXPECT_LE(pool::stats().bytes_used - before, 3 << 20);
  kept = {};
  EXPECT_EQ(pool::stats().bytes_used, before);
}

TEST(Arena, ManySmallPiecesTakeFewBlocks) {
  Arena arena;
  std::vector<Piece> pieces;
  const int64_t before = pool::stats().bytes_used;
  for (int i = 0; i < 64; ++i) pieces.push_back(arena.take(1 << 20));
  int blocks = 1;
  for (size_t i = 1; i < pieces.size(); ++i) blocks += !pieces[i].block.same_as(pieces[i - 1].block);
  EXPECT_LE(blocks, 8);
  EXPECT_LE(pool::stats().bytes_used - before, 2 * (64 << 20) + (8 << 20)) << "blocks grow too fast";
}

TEST(Arena, APieceAloneTakesNoMoreThanItNeeds) {
  const int64_t before = pool::stats().bytes_used;
  const Piece piece = Piece::alone(1000);
  EXPECT_EQ(piece.bytes, 1000u);
  EXPECT_LE(pool::stats().bytes_used - before, 1400);
}

}  // namespace
}  // namespace fovea::testing
