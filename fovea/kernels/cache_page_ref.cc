#include "fovea/base/half.h"
#include "fovea/kernels/cache_page.h"

namespace fovea::kernels::ref {
namespace {

float get(const CacheRows& r, const void* page, int64_t at) {
  if (r.type == CacheType::kF16) return half_to_float(static_cast<const uint16_t*>(page)[r.offset + at]);
  return static_cast<const float*>(page)[r.offset + at];
}

void put(const CacheRows& r, void* page, int64_t at, float x) {
  if (r.type == CacheType::kF16)
    static_cast<uint16_t*>(page)[r.offset + at] = float_to_half(x);
  else
    static_cast<float*>(page)[r.offset + at] = x;
}

int64_t key_at(const CacheRows& r, int64_t place, int64_t head, int64_t c) {
  return (head * r.width + c) * kCachePage + place;
}

int64_t value_at(const CacheRows& r, int64_t place, int64_t head, int64_t c) {
  return (head * kCachePage + place) * r.width + c;
}

// f(page, at, row element) for every element of tokens [begin, end).
template <typename At, typename F>
void for_each_element(const CacheRows& r, int64_t begin, int64_t end, int64_t stride, At at, F f) {
  for (int64_t t = begin; t < end; ++t)
    for (int64_t head = 0; head < r.heads; ++head)
      for (int64_t c = 0; c < r.width; ++c)
        f(t / kCachePage, at(r, t % kCachePage, head, c), (t - begin) * stride + head * r.width + c);
}

}  // namespace

void write_cached_keys(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                       int64_t stride) {
  for_each_element(to, begin, end, stride, key_at,
                   [&](int64_t page, int64_t at, int64_t x) { put(to, pages[page], at, rows[x]); });
}
void write_cached_values(const CacheRows& to, void* const* pages, int64_t begin, int64_t end,
                         const float* rows, int64_t stride) {
  for_each_element(to, begin, end, stride, value_at,
                   [&](int64_t page, int64_t at, int64_t x) { put(to, pages[page], at, rows[x]); });
}
void read_cached_keys(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                      float* rows, int64_t stride) {
  for_each_element(from, begin, end, stride, key_at,
                   [&](int64_t page, int64_t at, int64_t x) { rows[x] = get(from, pages[page], at); });
}
void read_cached_values(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                        float* rows, int64_t stride) {
  for_each_element(from, begin, end, stride, value_at,
                   [&](int64_t page, int64_t at, int64_t x) { rows[x] = get(from, pages[page], at); });
}

}  // namespace fovea::kernels::ref
