// How attention is cut into blocks. Measured on 512 KiB of second-level cache: a block's operands fit in it.
#pragma once

#include <cstdint>

namespace fovea::kernels {

// Rows of queries in a block of dot attention; a multiple of two vectors of every SIMD target.
constexpr int64_t kQueries = 96;
// Keys that a block meets at a time. Backward takes fewer: seven arrays share the cache.
constexpr int64_t kKeys = 192;
constexpr int64_t kBackwardKeys = 96;

// Up to so many queries are done by vectors of eight lanes where the CPU has longer ones, whose lanes would be empty by half.
constexpr int64_t kFewQueries = 16;

// Additive attention: rows of queries in a block, and the unit in which backward cuts keys into chunks.
constexpr int64_t kAdditiveQueries = 16;
constexpr int64_t kAdditiveChunk = 32;

}  // namespace fovea::kernels
