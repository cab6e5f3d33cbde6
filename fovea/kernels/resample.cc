#include "fovea/kernels/resample.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"

namespace fovea::kernels {
namespace {

// Output i is (1 - share) of place `first` and `share` of place `second`.
struct Between {
  int64_t first, second;
  double share;
};
Between between(Resampling kind, int64_t i, int64_t size, int64_t out) {
  if (kind == Resampling::kNearest) return {i * size / out, i * size / out, 0};
  const double ratio = static_cast<double>(size) / static_cast<double>(out);
  const double p = std::max(0.0, (static_cast<double>(i) + 0.5) * ratio - 0.5);
  const int64_t first = std::min(static_cast<int64_t>(p), size - 1);
  return {first, std::min(first + 1, size - 1), p - static_cast<double>(first)};
}

// Calls f(pixel of y, four pixels of x, their four shares) for row i of a picture.
template <typename T, typename F>
void for_row(Resampling kind, const ResampleSize& s, int64_t i, F&& f) {
  const Between row = between(kind, i, s.height, s.out_height);
  for (int64_t j = 0; j < s.out_width; ++j) {
    const Between col = between(kind, j, s.width, s.out_width);
    const int64_t pixels[4] = {row.first * s.width + col.first, row.first * s.width + col.second,
                               row.second * s.width + col.first, row.second * s.width + col.second};
    const T shares[4] = {static_cast<T>((1 - row.share) * (1 - col.share)),
                         static_cast<T>((1 - row.share) * col.share),
                         static_cast<T>(row.share * (1 - col.share)), static_cast<T>(row.share * col.share)};
    f(i * s.out_width + j, pixels, shares);
  }
}

}  // namespace

template <typename T>
void resample(Resampling kind, const ResampleSize& s, const T* x, T* y) {
  const int64_t C = s.channels;
  parallel_ranges(s.B * s.out_height, rows_per_block(s.out_width * C), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = x + row / s.out_height * s.height * s.width * C;
      T* to = y + row / s.out_height * s.out_height * s.out_width * C;
      for_row<T>(kind, s, row % s.out_height, [&](int64_t pixel, const int64_t* p, const T* share) {
        if (kind == Resampling::kNearest)
          return static_cast<void>(std::copy_n(from + p[0] * C, C, to + pixel * C));
        for (int64_t c = 0; c < C; ++c)
          to[pixel * C + c] = share[0] * from[p[0] * C + c] + share[1] * from[p[1] * C + c] +
                              share[2] * from[p[2] * C + c] + share[3] * from[p[3] * C + c];
      });
    }
  });
}

template <typename T>
void resample_backward(Resampling kind, const ResampleSize& s, const T* dy, T* dx) {
  const int64_t C = s.channels, taken = kind == Resampling::kNearest ? 1 : 4;
  parallel_for(s.B, [&](int64_t b) {
    const T* from = dy + b * s.out_height * s.out_width * C;
    T* to = dx + b * s.height * s.width * C;
    for (int64_t i = 0; i < s.out_height; ++i)
      for_row<T>(kind, s, i, [&](int64_t pixel, const int64_t* p, const T* share) {
        for (int64_t k = 0; k < taken; ++k)
          for (int64_t c = 0; c < C; ++c) to[p[k] * C + c] += share[k] * from[pixel * C + c];
      });
  });
}

template void resample(Resampling, const ResampleSize&, const float*, float*);
template void resample(Resampling, const ResampleSize&, const double*, double*);
template void resample_backward(Resampling, const ResampleSize&, const float*, float*);
template void resample_backward(Resampling, const ResampleSize&, const double*, double*);

}  // namespace fovea::kernels
