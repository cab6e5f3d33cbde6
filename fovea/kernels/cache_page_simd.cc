#include "fovea/kernels/cache_page.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/cache_page_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "fovea/kernels/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void RowToHalf(const float* x, uint16_t* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const HalfTag<decltype(d)> d16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(ToHalf(d, hn::LoadU(d, x + i)), d16, y + i);
  if (i == n) return;
  HWY_ALIGN uint16_t last[hn::MaxLanes(d)];
  hn::Store(ToHalf(d, LoadTail(d, x + i, n - i)), d16, last);
  std::copy_n(last, n - i, y + i);
}

void RowFromHalf(const uint16_t* x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(LoadNumbers(d, x + i), d, y + i);
  if (i < n) StoreTail(d, LoadNumbersTail(d, x + i, n - i), y + i, n - i);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
HWY_EXPORT(RowToHalf);
HWY_EXPORT(RowFromHalf);

namespace {

void convert(const float* x, float* y, int64_t n) { std::copy_n(x, n, y); }
void convert(const float* x, uint16_t* y, int64_t n) { HWY_DYNAMIC_DISPATCH(RowToHalf)(x, y, n); }
void convert(const uint16_t* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(RowFromHalf)(x, y, n); }

// `places` tokens of one head of one page, beginning at `row` of the caller's rows.
struct Piece {
  int64_t page, head, place, places, row;
};

// Calls f(piece) for tokens [begin, end), on several threads where there is enough to do.
template <typename F>
void for_each_piece(const CacheRows& r, int64_t begin, int64_t end, F&& f) {
  if (begin >= end) return;
  const int64_t page = begin / kCachePage, pages = (end - 1) / kCachePage + 1 - page;
  constexpr int64_t kWorthAThread = 1 << 15;  // elements
  parallel_ranges(pages * r.heads, std::max<int64_t>(1, kWorthAThread / (kCachePage * r.width)),
                  [&](int64_t from, int64_t to) {
                    for (int64_t x = from; x < to; ++x) {
                      const int64_t p = page + x / r.heads;
                      const int64_t lo = std::max(begin, p * kCachePage),
                                    hi = std::min(end, (p + 1) * kCachePage);
                      f(Piece{p, x % r.heads, lo - p * kCachePage, hi - lo, lo - begin});
                    }
                  });
}

template <typename T>
void write_keys(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                int64_t stride) {
  for_each_piece(to, begin, end, [&](const Piece& x) {
    T* page = static_cast<T*>(pages[x.page]) + to.offset + x.head * to.width * kCachePage + x.place;
    const float* from = rows + x.row * stride + x.head * to.width;
    if constexpr (sizeof(T) == sizeof(float)) {
      transpose(from, stride, page, kCachePage, x.places, to.width);
    } else if (x.places == 1) {
      Scratch scratch;
      T* row = scratch.take<T>(to.width);
      convert(from, row, to.width);
      for (int64_t c = 0; c < to.width; ++c) page[c * kCachePage] = row[c];
    } else {
      Scratch scratch;
      float* turned = scratch.take<float>(to.width * x.places);
      transpose(from, stride, turned, x.places, x.places, to.width);
      for (int64_t c = 0; c < to.width; ++c) convert(turned + c * x.places, page + c * kCachePage, x.places);
    }
  });
}

template <typename T>
void read_keys(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end, float* rows,
               int64_t stride) {
  for_each_piece(from, begin, end, [&](const Piece& x) {
    const T* page =
        static_cast<const T*>(pages[x.page]) + from.offset + x.head * from.width * kCachePage + x.place;
    float* to = rows + x.row * stride + x.head * from.width;
    if constexpr (sizeof(T) == sizeof(float)) {
      transpose(page, kCachePage, to, stride, from.width, x.places);
    } else {
      Scratch scratch;
      float* turned = scratch.take<float>(from.width * x.places);
      for (int64_t c = 0; c < from.width; ++c)
        convert(page + c * kCachePage, turned + c * x.places, x.places);
      transpose(turned, x.places, to, stride, from.width, x.places);
    }
  });
}

template <typename T>
void write_values(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                  int64_t stride) {
  for_each_piece(to, begin, end, [&](const Piece& x) {
    T* page = static_cast<T*>(pages[x.page]) + to.offset + (x.head * kCachePage + x.place) * to.width;
    for (int64_t t = 0; t < x.places; ++t)
      convert(rows + (x.row + t) * stride + x.head * to.width, page + t * to.width, to.width);
  });
}

template <typename T>
void read_values(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end, float* rows,
                 int64_t stride) {
  for_each_piece(from, begin, end, [&](const Piece& x) {
    const T* page =
        static_cast<const T*>(pages[x.page]) + from.offset + (x.head * kCachePage + x.place) * from.width;
    for (int64_t t = 0; t < x.places; ++t)
      convert(page + t * from.width, rows + (x.row + t) * stride + x.head * from.width, from.width);
  });
}

}  // namespace

void write_cached_keys(const CacheRows& to, void* const* pages, int64_t begin, int64_t end, const float* rows,
                       int64_t stride) {
  (to.type == CacheType::kF16 ? write_keys<uint16_t> : write_keys<float>)(to, pages, begin, end, rows,
                                                                          stride);
}
void write_cached_values(const CacheRows& to, void* const* pages, int64_t begin, int64_t end,
                         const float* rows, int64_t stride) {
  (to.type == CacheType::kF16 ? write_values<uint16_t> : write_values<float>)(to, pages, begin, end, rows,
                                                                              stride);
}
void read_cached_keys(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                      float* rows, int64_t stride) {
  (from.type == CacheType::kF16 ? read_keys<uint16_t> : read_keys<float>)(from, pages, begin, end, rows,
                                                                          stride);
}
void read_cached_values(const CacheRows& from, const void* const* pages, int64_t begin, int64_t end,
                        float* rows, int64_t stride) {
  (from.type == CacheType::kF16 ? read_values<uint16_t> : read_values<float>)(from, pages, begin, end, rows,
                                                                              stride);
}

}  // namespace fovea::kernels
#endif
