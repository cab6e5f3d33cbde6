// The key/value cache of one attention lies in pages of kCachePage tokens. Token t of a sequence is place t % kCachePage of its page
// t / kCachePage; sequences may share pages.
//   a page of keys      [heads][width][kCachePage]    transposed: one load gives a dimension of neighbouring tokens
//   a page of values    [heads][kCachePage][width]
// A place that was not written may hold anything. Pages need the alignment of their elements, no more.
#pragma once

#include <cstdint>

namespace fovea::kernels {

inline constexpr int64_t kCachePage = 64;

enum class CacheType : uint8_t { kF32, kF16 };  // kF16: IEEE half precision, written rounded to nearest even
inline constexpr int64_t bytes_of(CacheType type) { return type == CacheType::kF32 ? 4 : 2; }

// The keys, or the values, of one attention within pages that may hold more (other layers, keys beside values).
struct CacheRows {
  CacheType type = CacheType::kF32;
  int64_t heads = 1, width = 1;
  int64_t offset = 0;  // elements from the start of each page

  int64_t page_bytes() const { return heads * width * kCachePage * bytes_of(type); }
};

// Rows [end - begin, heads * width], `stride` apart, become tokens [begin, end) of `pages`. Nothing else of a page changes.
void write_cached_keys(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                       int64_t stride);
void write_cached_values(const CacheRows& to, void* const* pages, int64_t begin, int64_t end,
                         const float* rows, int64_t stride);

// Tokens [begin, end) of `pages` become rows.
void read_cached_keys(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                      float* rows, int64_t stride);
void read_cached_values(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                        float* rows, int64_t stride);

namespace ref {
void write_cached_keys(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                       int64_t stride);
void write_cached_values(const CacheRows& to, void* const* pages, int64_t begin, int64_t end,
                         const float* rows, int64_t stride);
void read_cached_keys(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                      float* rows, int64_t stride);
void read_cached_values(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                        float* rows, int64_t stride);
}  // namespace ref

}  // namespace fovea::kernels
