#include "fovea/base/scratch.h"

#include <cstdlib>
#include <memory>
#include <vector>

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
// Blocks fill in order; the ones after `block` are empty.
struct Arena {
  std::vector<Block> blocks;
  size_t block = 0, used = 0;
};
thread_local Arena arena;

constexpr size_t kAlignment = 64;
constexpr size_t kSmallest = size_t{1} << 20;

}  // namespace

Scratch::Scratch() : block_(arena.block), used_(arena.used) {}

Scratch::~Scratch() {
  arena.block = block_;
  arena.used = used_;
}

void* Scratch::take_bytes(size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  while (arena.block < arena.blocks.size() && arena.used + bytes > arena.blocks[arena.block].bytes) {
    ++arena.block;
    arena.used = 0;
  }
  if (arena.block == arena.blocks.size()) {
    const size_t size = bytes > kSmallest ? bytes : kSmallest;
    auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
    check(memory != nullptr, "memory", "the system has no {} more bytes for working memory", size);
    arena.blocks.push_back({std::unique_ptr<std::byte, Free>(memory), size});
  }
  void* start = arena.blocks[arena.block].memory.get() + arena.used;
  arena.used += bytes;
  return start;
}

}  // namespace fovea
