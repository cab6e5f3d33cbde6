// Counts what the program takes from the system's allocator, by operator new or by malloc, in any library and on any thread. What oneDNN takes
// is not counted: each of its products asks for a workspace and gives it back, and nobody can tell it otherwise.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fovea::testing {

inline std::atomic<int64_t> heap_allocations{0};
inline std::atomic<bool> counts_heap_allocations{false};

// `caller`: where the allocator was called from.
inline void count_heap_allocation(void* caller) {
  if (!counts_heap_allocations.load(std::memory_order_relaxed)) return;
  Dl_info from{};
  if (dladdr(caller, &from) == 0 || !from.dli_fname || !std::strstr(from.dli_fname, "libdnnl"))
    ++heap_allocations;
}

}  // namespace fovea::testing

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // which have allocators of their own: nothing is counted there

// In place of the C library's own, which they call. Weak: several files of a program may include this.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

[[gnu::weak]] void* malloc(size_t bytes) {
  fovea::testing::count_heap_allocation(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
[[gnu::weak]] void* calloc(size_t count, size_t bytes) {
  fovea::testing::count_heap_allocation(__builtin_return_address(0));
  return __libc_calloc(count, bytes);
}
[[gnu::weak]] void* realloc(void* block, size_t bytes) {
  fovea::testing::count_heap_allocation(__builtin_return_address(0));
  return __libc_realloc(block, bytes);
}
[[gnu::weak]] void* memalign(size_t alignment, size_t bytes) {
  fovea::testing::count_heap_allocation(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
[[gnu::weak]] void* aligned_alloc(size_t alignment, size_t bytes) {
  fovea::testing::count_heap_allocation(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
[[gnu::weak]] int posix_memalign(void** block, size_t alignment, size_t bytes) {
  fovea::testing::count_heap_allocation(__builtin_return_address(0));
  *block = __libc_memalign(alignment, bytes);
  return *block ? 0 : ENOMEM;
}
}

#endif

namespace fovea::testing {

// The number of allocations while f runs.
template <typename F>
int64_t count_allocations(F&& f) {
  const int64_t before = heap_allocations.load();
  counts_heap_allocations = true;
  f();
  counts_heap_allocations = false;
  return heap_allocations.load() - before;
}

}  // namespace fovea::testing
