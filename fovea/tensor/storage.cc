#include "fovea/tensor/storage.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

#include "fovea/base/cpu.h"
#include "fovea/base/error.h"

namespace fovea {
namespace pool {
namespace {

constexpr size_t kSmallest = 64;
constexpr size_t kHuge = size_t{2} << 20;  // blocks from here on are aligned for huge pages
constexpr int kClasses = 256;

// Size classes are 4 to a power of two: 64, 80, 96, 112, 128, 160, ... so at most a fifth of a block is unused.
struct Class {
  int index;
  size_t bytes;
};
Class class_of(size_t bytes) {
  if (bytes <= kSmallest) return {0, kSmallest};
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1)
  const size_t step = size_t{1} << (log - 2);
  const size_t rounded = (bytes + step - 1) / step * step;
  const auto quarter = static_cast<int>((rounded - (size_t{1} << log)) / step);
  return {(log - 6) * 4 + quarter, rounded};
}

struct FreeBlock {
  FreeBlock* next;
};

struct Pool {
  std::mutex mutex;
  std::array<FreeBlock*, kClasses> free{};
  std::array<size_t, kClasses> class_bytes{};
  Stats stats;
};
Pool& instance() {
  static Pool* pool = [] {
    limit_simd_by_environment();  // here because no work is done before the first tensor
    return new Pool;              // never destroyed: tensors in static objects may outlive any order
  }();
  return *pool;
}

// `used` of the bytes are needed now. Huge pages are only asked for where they will be full: of a block of 2.2 MiB, a second huge page
// would hold 1.8 MiB that nobody needs.
void* from_system(size_t bytes, size_t used) {
  const size_t alignment = bytes >= kHuge ? kHuge : 64;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, rounded);
  if (block && used >= kHuge) madvise(block, used / kHuge * kHuge, MADV_HUGEPAGE);
  return block;
}

}  // namespace

Stats stats() {
  Pool& pool = instance();
  std::lock_guard<std::mutex> lock(pool.mutex);
  return pool.stats;
}

void reset_peak() {
  Pool& pool = instance();
  std::lock_guard<std::mutex> lock(pool.mutex);
  pool.stats.bytes_peak = pool.stats.bytes_used;
}

namespace {

void give_back(Pool& pool) {
  for (size_t c = 0; c < kClasses; ++c) {
    while (FreeBlock* block = pool.free[c]) {
      pool.free[c] = block->next;
      pool.stats.bytes_held -= static_cast<int64_t>(pool.class_bytes[c]);
      std::free(block);
    }
  }
}

}  // namespace

void trim() {
  Pool& pool = instance();
  std::lock_guard<std::mutex> lock(pool.mutex);
  give_back(pool);
}

void* allocate(size_t bytes) {
  check(bytes <= (size_t{1} << 46), "memory", "{} bytes were asked for in one block", bytes);
  const Class c = class_of(bytes);
  const auto index = static_cast<size_t>(c.index);
  Pool& pool = instance();
  std::lock_guard<std::mutex> lock(pool.mutex);
  void* block = pool.free[index];
  if (block) {
    pool.free[index] = pool.free[index]->next;
  } else {
    block = from_system(c.bytes, bytes);
    if (!block) {  // what is kept for later may be enough
      give_back(pool);
      block = from_system(c.bytes, bytes);
    }
    check(block != nullptr, "memory", "the system has no {} more bytes: use a smaller batch or model",
          c.bytes);
    pool.class_bytes[index] = c.bytes;
    pool.stats.system_allocations += 1;
    pool.stats.bytes_held += static_cast<int64_t>(c.bytes);
  }
  pool.stats.bytes_used += static_cast<int64_t>(c.bytes);
  if (pool.stats.bytes_used > pool.stats.bytes_peak) pool.stats.bytes_peak = pool.stats.bytes_used;
  return block;
}

void release(void* block, size_t bytes) noexcept {
  const Class c = class_of(bytes);
  const auto index = static_cast<size_t>(c.index);
  Pool& pool = instance();
  std::lock_guard<std::mutex> lock(pool.mutex);
  pool.free[index] = new (block) FreeBlock{pool.free[index]};
  pool.stats.bytes_used -= static_cast<int64_t>(c.bytes);
}

}  // namespace pool

Storage::Storage(size_t bytes) {
  check(bytes < SIZE_MAX / 2, "memory", "{} bytes were asked for in one block", bytes);
  header_ = new (pool::allocate(sizeof(Header) + bytes)) Header{{1}, sizeof(Header) + bytes, nullptr, {}};
  header_->data = behind(header_);
}

Storage Storage::of(const void* memory, std::shared_ptr<const void> owner) {
  Storage storage;
  storage.header_ = new (pool::allocate(sizeof(Header)))
      Header{{1}, sizeof(Header), static_cast<std::byte*>(const_cast<void*>(memory)), std::move(owner)};
  return storage;
}

void Storage::release() noexcept {
  if (!header_ || header_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const size_t bytes = header_->bytes;
  header_->~Header();
  pool::release(header_, bytes);
}

}  // namespace fovea
