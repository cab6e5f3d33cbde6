#include "fovea/kernels/cache_page.h"

namespace fovea::kernels {

void write_cached_keys(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                       int64_t stride) {
  ref::write_cached_keys(to, pages, begin, end, rows, stride);
}
void write_cached_values(const CacheRows& to, void* const* pages, int64_t begin, int64_t end,
                         const float* rows, int64_t stride) {
  ref::write_cached_values(to, pages, begin, end, rows, stride);
}
void read_cached_keys(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                      float* rows, int64_t stride) {
  ref::read_cached_keys(from, pages, begin, end, rows, stride);
}
void read_cached_values(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                        float* rows, int64_t stride) {
  ref::read_cached_values(from, pages, begin, end, rows, stride);
}

}  // namespace fovea::kernels
