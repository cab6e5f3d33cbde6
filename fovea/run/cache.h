// The key/value cache of a Session: blocks of kCachePage tokens, each with the keys and values of every layer. Sequences that fork
// share their blocks; one that writes into a block that others read, too, gets a copy of it first.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/kernels/cache_page.h"
#include "fovea/run/arena.h"

namespace fovea::run {

using kernels::CacheType;

// Keys and values of one attention.
struct CacheShape {
  int64_t key_heads = 1, key_width = 1, value_heads = 1, value_width = 1;
};

class Cache {
 public:
  Cache(const std::vector<CacheShape>& layers, CacheType type);
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  // Where the keys and values of a layer are in each block.
  const kernels::CacheRows& keys(int64_t layer) const { return layers_[static_cast<size_t>(layer)].keys; }
  const kernels::CacheRows& values(int64_t layer) const { return layers_[static_cast<size_t>(layer)].values; }
  bool empty() const { return layers_.empty(); }
  int64_t block_bytes() const { return bytes_; }
  // Of all blocks in use.
  int64_t bytes() const { return used_ * bytes_; }

 private:
  friend class CachedTokens;
  struct Layer {
    kernels::CacheRows keys, values;
  };
  struct Block {
    Piece memory;
    int64_t users = 0;
  };
  int32_t take();
  void release(int32_t block);
  // Tokens [0, count) of `from` become those of `to`.
  void copy(int32_t from, int32_t to, int64_t count);

  std::vector<Layer> layers_;
  int64_t bytes_ = 0, used_ = 0;
  std::vector<Block> blocks_;
  std::vector<int32_t> free_;
  Arena arena_;
};

// The tokens of one sequence in a cache, which must outlive it.
class CachedTokens {
 public:
  explicit CachedTokens(Cache& cache) : cache_(&cache) {}
  CachedTokens(const CachedTokens& other);  // shares the blocks
  CachedTokens& operator=(const CachedTokens&) = delete;
  ~CachedTokens();

  // Room for tokens [0, count), of which those before `kept` stay as they are and the others are about to be written.
  void grow(int64_t kept, int64_t count);
  // The blocks, as kernels take them.
  void* const* pages() const { return pages_.data(); }
  const Cache& cache() const { return *cache_; }

 private:
  Cache* cache_;
  std::vector<int32_t> blocks_;
  std::vector<void*> pages_;
};

}  // namespace fovea::run
