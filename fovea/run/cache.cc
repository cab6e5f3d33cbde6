#include "fovea/run/cache.h"

#include <algorithm>
#include <cstring>

#include "fovea/base/parallel.h"

namespace fovea::run {

using kernels::bytes_of;
using kernels::CacheRows;
using kernels::kCachePage;

namespace {

// Rows of `run` bytes, of which the first `count` bytes are copied.
void copy_rows(const std::byte* from, std::byte* to, int64_t rows, int64_t run, int64_t count) {
  for (int64_t r = 0; r < rows; ++r) std::memcpy(to + r * run, from + r * run, static_cast<size_t>(count));
}

}  // namespace

Cache::Cache(const std::vector<CacheShape>& layers, CacheType type) {
  int64_t offset = 0;
  const auto place = [&](int64_t heads, int64_t width) {
    const CacheRows rows{.type = type, .heads = heads, .width = width, .offset = offset};
    offset += heads * width * kCachePage;
    return rows;
  };
  for (const CacheShape& shape : layers) {
    const CacheRows keys = place(shape.key_heads, shape.key_width);
    layers_.push_back({keys, place(shape.value_heads, shape.value_width)});
  }
  bytes_ = offset * bytes_of(type);
}

int32_t Cache::take() {
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const int32_t block = free_.back();
  Block& taken = blocks_[static_cast<size_t>(block)];
  if (!taken.memory.defined()) taken.memory = arena_.take(static_cast<size_t>(bytes_));
  free_.pop_back();
  taken.users = 1;
  ++used_;
  return block;
}

void Cache::release(int32_t block) {
  if (--blocks_[static_cast<size_t>(block)].users > 0) return;
  free_.push_back(block);
  --used_;
}

void Cache::copy(int32_t from, int32_t to, int64_t count) {
  const std::byte* source = blocks_[static_cast<size_t>(from)].memory.data;
  std::byte* target = blocks_[static_cast<size_t>(to)].memory.data;
  parallel_for(static_cast<int64_t>(layers_.size()), [&](int64_t l) {
    const Layer& layer = layers_[static_cast<size_t>(l)];
    const int64_t size = bytes_of(layer.keys.type), keys = layer.keys.offset * size,
                  values = layer.values.offset * size;
    copy_rows(source + keys, target + keys, layer.keys.heads * layer.keys.width, kCachePage * size,
              count * size);
    copy_rows(source + values, target + values, layer.values.heads, kCachePage * layer.values.width * size,
              count * layer.values.width * size);
  });
}

CachedTokens::CachedTokens(const CachedTokens& other)
    : cache_(other.cache_), blocks_(other.blocks_), pages_(other.pages_) {
  for (const int32_t block : blocks_) ++cache_->blocks_[static_cast<size_t>(block)].users;
}

CachedTokens::~CachedTokens() {
  for (const int32_t block : blocks_) cache_->release(block);
}

void CachedTokens::grow(int64_t kept, int64_t count) {
  if (cache_->empty()) return;
  const auto first = static_cast<size_t>(kept / kCachePage);  // the first block that is written to
  if (first < blocks_.size() && cache_->blocks_[static_cast<size_t>(blocks_[first])].users > 1) {
    const int32_t own = cache_->take();
    cache_->copy(blocks_[first], own, kept % kCachePage);
    cache_->release(blocks_[first]);
    blocks_[first] = own;
    pages_[first] = cache_->blocks_[static_cast<size_t>(own)].memory.data;
  }
  while (static_cast<int64_t>(blocks_.size()) * kCachePage < count) {
    blocks_.push_back(cache_->take());
    pages_.push_back(cache_->blocks_[static_cast<size_t>(blocks_.back())].memory.data);
  }
}

}  // namespace fovea::run
