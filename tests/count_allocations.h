// Counts what the program takes from the heap. It replaces the global operator new, so one file of a test
// program includes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace fovea::testing {

inline std::atomic<int64_t> heap_allocations{0};

// The number of allocations by operator new while f runs, on all threads.
template <typename F>
int64_t count_allocations(F&& f) {
  const int64_t before = heap_allocations.load();
  f();
  return heap_allocations.load() - before;
}

}  // namespace fovea::testing

// Not inline: the compiler would take malloc and free for a mismatch.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++fovea::testing::heap_allocations;
  if (void* block = std::malloc(bytes ? bytes : 1)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }
