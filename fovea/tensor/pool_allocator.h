// The caching pool for the standard library: what is made anew in every step and lives no longer, small objects and lists, comes from where
// tensors come from, and a step takes nothing from the system.
#pragma once

#include <memory>
#include <vector>

#include "fovea/tensor/storage.h"

namespace fovea {

template <typename T>
struct PoolAllocator {
  using value_type = T;

  PoolAllocator() = default;
  template <typename U>
  PoolAllocator(const PoolAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(size_t n) { return static_cast<T*>(pool::allocate(n * sizeof(T))); }
  void deallocate(T* block, size_t n) noexcept { pool::release(block, n * sizeof(T)); }

  template <typename U>
  bool operator==(const PoolAllocator<U>&) const {
    return true;
  }
};

template <typename T>
using PoolVector = std::vector<T, PoolAllocator<T>>;

// As std::make_shared.
template <typename T, typename... Args>
std::shared_ptr<T> make_pooled(Args&&... args) {
  return std::allocate_shared<T>(PoolAllocator<T>(), std::forward<Args>(args)...);
}

}  // namespace fovea
