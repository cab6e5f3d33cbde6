// How attend_cached cuts its work. A unit is a block of tokens of one query, for a cluster of heads that share no key head and no value
// head with other clusters. It leaves a part for each of its heads: the largest score, the sum of exponentials relative to it, and the
// context vector. The parts of a head are then merged in the order of tokens. Blocks begin at multiples of kCacheBlock, so that they depend
// on nothing but the tokens.
#pragma once

#include <algorithm>
#include <numeric>

#include "fovea/base/scratch.h"
#include "fovea/kernels/attend_cached.h"

namespace fovea::kernels {

inline constexpr int64_t kCacheBlock = 4 * kCachePage;

// The tokens that query i sees.
struct TokenRange {
  int64_t first, last;
  TokenRange(const AttendCached& a, int64_t i)
      : first(a.first ? a.first[i] : 0), last(std::max<int64_t>(first, a.last[i])) {}
  int64_t first_block() const { return first / kCacheBlock; }
  int64_t blocks() const { return last > first ? (last - 1) / kCacheBlock + 1 - first_block() : 0; }
};

// Those of one block: [from, to), counted from the block's first token.
struct BlockRange {
  int64_t block, from, to;
  BlockRange(const TokenRange& range, int64_t b)
      : block(b),
        from(std::max(range.first, b * kCacheBlock) - b * kCacheBlock),
        to(std::min(range.last, (b + 1) * kCacheBlock) - b * kCacheBlock) {}
  int64_t first() const { return block * kCacheBlock + from; }
  int64_t count() const { return to - from; }
};

struct CachedPlan {
  int64_t H, clusters;  // of H / clusters heads
  int64_t width;        // of context, whole vectors
  int64_t* starts;      // [queries + 1]: the blocks of the queries before
  float *top, *sum, *context;
  int32_t* best;  // hard: the token of the largest score

  CachedPlan(const AttendCached& a, Scratch& scratch)
      : H(a.H),
        clusters(a.score == CachedScore::kGiven ? a.values.heads : std::gcd(a.keys.heads, a.values.heads)),
        width((a.values.width + kWidestVector - 1) / kWidestVector * kWidestVector),
        starts(scratch.take<int64_t>(a.queries + 1)) {
    int64_t last_block = 0, tokens = 0;
    starts[0] = 0;
    for (int64_t i = 0; i < a.queries; ++i) {
      const TokenRange range(a, i);
      starts[i + 1] = starts[i] + range.blocks();
      last_block = std::max(last_block, range.first_block() + range.blocks());
      tokens += range.last - range.first;
    }
    const int64_t parts = starts[a.queries] * H;
    top = scratch.take<float>(parts);
    sum = scratch.take<float>(parts);
    best = scratch.take<int32_t>(parts);
    context = scratch.take<float>(a.hard ? 0 : parts * width);
    units_ = last_block * clusters * a.queries;
    units_together_ = together(units_, tokens * H * (a.keys.width + a.values.width));
    heads_together_ = together(a.queries * H, parts * (width + (a.weights ? kCacheBlock : 0)));
  }

  // The grid [block, cluster, query], of which only those exist whose query sees tokens of the block.
  int64_t units() const { return units_; }
  // What one thread takes at a time.
  int64_t units_together() const { return units_together_; }
  int64_t heads_together() const { return heads_together_; }

  int64_t parts(int64_t i) const { return starts[i + 1] - starts[i]; }  // of a head of query i
  int64_t part(int64_t i, int64_t h, int64_t b) const { return starts[i] * H + h * parts(i) + b; }

 private:
  static constexpr int64_t kWidestVector = 16;
  static int64_t together(int64_t count, int64_t work) {
    constexpr int64_t kWorthAThread = 1 << 15, kWorthThreads = 1 << 17;  // multiply-adds
    return std::max<int64_t>(1, work < kWorthThreads ? count : count * kWorthAThread / work);
  }
  int64_t units_, units_together_, heads_together_;
};

}  // namespace fovea::kernels
