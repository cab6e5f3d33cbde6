#include "fovea/kernels/pooling.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/kernels/blocks.h"

namespace fovea::kernels {
namespace {

// The places of the picture that position i of a window covers.
struct Covered {
  int64_t begin, end;
};
Covered covered(const WindowAxis& a, int64_t i) {
  const int64_t first = i * a.stride - a.padding;
  return {std::max<int64_t>(0, first), std::min(a.size, first + a.kernel)};
}

int64_t picture_in(const PoolingSize& s) { return s.y.size * s.x.size * s.channels; }
int64_t picture_out(const PoolingSize& s) { return s.y.out() * s.x.out() * s.channels; }

// Calls f(offset of y, rows, columns) for the positions of the rows [begin, end) of all pictures.
template <typename F>
void for_positions(const PoolingSize& s, int64_t begin, int64_t end, F&& f) {
  const int64_t cols = s.x.out();
  for (int64_t row = begin; row < end; ++row)
    for (int64_t j = 0; j < cols; ++j)
      f((row * cols + j) * s.channels, covered(s.y, row % s.y.out()), covered(s.x, j));
}

template <typename F>
void for_rows(const PoolingSize& s, F&& f) {
  const int64_t work = s.x.out() * s.channels * s.y.kernel * s.x.kernel;
  parallel_ranges(s.B * s.y.out(), rows_per_block(work), f);
}

}  // namespace

template <typename T>
void max_pool(const PoolingSize& s, const T* x, T* y, int32_t* at) {
  const int64_t C = s.channels;
  for_rows(s, [&](int64_t begin, int64_t end) {
    for_positions(s, begin, end, [&](int64_t to, Covered rows, Covered cols) {
      const T* picture = x + to / picture_out(s) * picture_in(s);
      bool first = true;
      for (int64_t row = rows.begin; row < rows.end; ++row)
        for (int64_t col = cols.begin; col < cols.end; ++col) {
          const auto pixel = static_cast<int32_t>(row * s.x.size + col);
          const T* from = picture + pixel * C;
          for (int64_t c = 0; c < C; ++c) {
            const bool larger =
                first || from[c] > y[to + c] || (std::isnan(from[c]) && !std::isnan(y[to + c]));
            y[to + c] = larger ? from[c] : y[to + c];
            at[to + c] = larger ? pixel : at[to + c];
          }
          first = false;
        }
    });
  });
}

template <typename T>
void max_pool_backward(const PoolingSize& s, const int32_t* at, const T* dy, T* dx) {
  const int64_t C = s.channels, n = picture_out(s);
  parallel_for(s.B, [&](int64_t b) {
    T* picture = dx + b * picture_in(s);
    for (int64_t i = b * n; i < (b + 1) * n; i += C)
      for (int64_t c = 0; c < C; ++c) picture[at[i + c] * C + c] += dy[i + c];
  });
}

template <typename T>
void average_pool(const PoolingSize& s, const T* x, T* y) {
  const int64_t C = s.channels;
  const T share = T{1} / static_cast<T>(s.y.kernel * s.x.kernel);
  for_rows(s, [&](int64_t begin, int64_t end) {
    for_positions(s, begin, end, [&](int64_t to, Covered rows, Covered cols) {
      const T* picture = x + to / picture_out(s) * picture_in(s);
      std::fill_n(y + to, C, T{0});
      for (int64_t row = rows.begin; row < rows.end; ++row)
        for (int64_t col = cols.begin; col < cols.end; ++col) {
          const T* from = picture + (row * s.x.size + col) * C;
          for (int64_t c = 0; c < C; ++c) y[to + c] += from[c];
        }
      for (int64_t c = 0; c < C; ++c) y[to + c] *= share;
    });
  });
}

template <typename T>
void average_pool_backward(const PoolingSize& s, const T* dy, T* dx) {
  const int64_t C = s.channels, rows_out = s.y.out();
  const T share = T{1} / static_cast<T>(s.y.kernel * s.x.kernel);
  parallel_for(s.B, [&](int64_t b) {
    T* picture = dx + b * picture_in(s);
    for_positions(s, b * rows_out, (b + 1) * rows_out, [&](int64_t from, Covered rows, Covered cols) {
      for (int64_t row = rows.begin; row < rows.end; ++row)
        for (int64_t col = cols.begin; col < cols.end; ++col) {
          T* to = picture + (row * s.x.size + col) * C;
          for (int64_t c = 0; c < C; ++c) to[c] += share * dy[from + c];
        }
    });
  });
}

template void max_pool(const PoolingSize&, const float*, float*, int32_t*);
template void max_pool(const PoolingSize&, const double*, double*, int32_t*);
template void max_pool_backward(const PoolingSize&, const int32_t*, const float*, float*);
template void max_pool_backward(const PoolingSize&, const int32_t*, const double*, double*);
template void average_pool(const PoolingSize&, const float*, float*);
template void average_pool(const PoolingSize&, const double*, double*);
template void average_pool_backward(const PoolingSize&, const float*, float*);
template void average_pool_backward(const PoolingSize&, const double*, double*);

}  // namespace fovea::kernels
