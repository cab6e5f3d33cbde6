// Memory for tensors, from a caching pool: a block that is freed is kept for the next request of its size class,
// so that a training step after the first takes nothing from the system. Safe to use from several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace fovea {

namespace pool {

struct Stats {
  int64_t system_allocations = 0;  // blocks ever taken from the system
  int64_t bytes_held = 0;          // taken from the system and not given back
  int64_t bytes_used = 0;          // of those, in use now
  int64_t bytes_peak = 0;          // the most that was in use at once, since reset_peak()
};
Stats stats();
void reset_peak();
// Gives cached free blocks back to the system.
void trim();

// Aligned to 64 bytes. Throws Error when the system has no more memory.
void* allocate(size_t bytes);
// `bytes` as passed to allocate.
void release(void* block, size_t bytes) noexcept;

}  // namespace pool

// A counted reference to a block of the pool, or to memory that somebody else owns.
class Storage {
 public:
  Storage() = default;
  explicit Storage(size_t bytes);
  // Memory of others, at least as long as any Storage refers to it: `owner` keeps it. It is only read, which is up to the caller.
  static Storage of(const void* memory, std::shared_ptr<const void> owner);
  Storage(const Storage& other) noexcept : header_(other.header_) { retain(); }
  Storage(Storage&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~Storage() { release(); }

  explicit operator bool() const { return header_ != nullptr; }
  std::byte* data() const { return header_->data; }
  // No other Storage refers to the block, which is the pool's.
  bool unique() const {
    return header_ && header_->data == behind(header_) &&
           header_->references.load(std::memory_order_acquire) == 1;
  }
  bool same_as(const Storage& other) const { return header_ == other.header_; }

 private:
  struct alignas(64) Header {
    std::atomic<int64_t> references;
    size_t bytes;     // of the block that starts with this header
    std::byte* data;  // behind it, or elsewhere
    std::shared_ptr<const void> owner;
  };
  static std::byte* behind(Header* header) { return reinterpret_cast<std::byte*>(header + 1); }
  void retain() const noexcept {
    if (header_) header_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept;

  Header* header_ = nullptr;
};

}  // namespace fovea
