#include "fovea/base/scratch.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "fovea/base/error.h"

namespace fovea {
namespace {

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};
struct Block {
  std::unique_ptr<std::byte, Free> memory;
  size_t bytes = 0;
};
// Blocks fill in order; the ones after `block` are empty. Each is at least twice as large as the one before, and when the arena is
// empty only the largest is kept: what a thread holds is at most a few times the most it ever needed at once.
struct Arena {
  std::array<Block, 44> blocks;  // from 2^20 bytes on, more than memory can hold
  size_t count = 0, block = 0, used = 0;
};
thread_local Arena arena;

constexpr size_t kAlignment = 64;
constexpr size_t kSmallest = size_t{1} << 20;

}  // namespace

Scratch::Scratch() : block_(arena.block), used_(arena.used) {}

Scratch::~Scratch() {
  arena.block = block_;
  arena.used = used_;
  if (block_ != 0 || used_ != 0) return;
  for (; arena.count > 1; --arena.count)
    arena.blocks[arena.count - 2] = std::move(arena.blocks[arena.count - 1]);
}

void* Scratch::take_bytes(size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  while (arena.block < arena.count && arena.used + bytes > arena.blocks[arena.block].bytes) {
    ++arena.block;
    arena.used = 0;
  }
  if (arena.block == arena.count) {
    const size_t twice = arena.count == 0 ? kSmallest : 2 * arena.blocks[arena.count - 1].bytes;
    const size_t size = std::max(bytes, twice);
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
    check(memory != nullptr, "memory", "the system has no {} more bytes for working memory", size);
    arena.blocks[arena.count++] = {std::unique_ptr<std::byte, Free>(memory), size};
  }
  void* start = arena.blocks[arena.block].memory.get() + arena.used;
  arena.used += bytes;
  return start;
}

}  // namespace fovea
