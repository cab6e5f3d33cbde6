#include "fovea/kernels/retina.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/blocks.h"

namespace fovea::kernels {
namespace {

// The side of a square along one axis: cell i covers [first + i k + part, first + (i + 1) k + part), so of k + 1 pixels the first counts
// 1 - part and the last `part`.
template <typename T>
struct Side {
  int64_t first;
  T part;

  Side(double centre, int64_t cells, int64_t k) {
    constexpr double kFar = 1 << 30;  // beyond it a point sees nothing of any picture
    const double begin = std::clamp(centre, -kFar, kFar) - static_cast<double>(cells * k) / 2;
    first = static_cast<int64_t>(std::floor(begin));
    part = static_cast<T>(begin - std::floor(begin));
  }
};

// One square of one point. `line` has room for size * k + 1 pixels.
template <typename T>
void square(const RetinaSize& s, const T* picture, int64_t k, double centre_x, double centre_y, T* line,
            T* y) {
  const Side<T> rows(centre_y, s.size, k), cols(centre_x, s.size, k);
  const int64_t C = s.channels, pixels = s.size * k + 1;
  // Columns of the picture that the square reaches.
  const int64_t begin = std::clamp<int64_t>(-cols.first, 0, pixels),
                end = std::clamp<int64_t>(s.width - cols.first, begin, pixels);
  const T share = T{1} / static_cast<T>(k * k);
  std::fill_n(line, pixels * C, T{0});
  for (int64_t i = 0; i < s.size; ++i, y += s.size * C) {
    T* to = line + begin * C;
    const int64_t n = (end - begin) * C;
    std::fill_n(to, n, T{0});
    for (int64_t m = 0; m <= k; ++m) {
      const int64_t row = rows.first + i * k + m;
      const T weight = m == 0 ? 1 - rows.part : m == k ? rows.part : T{1};
      if (n == 0 || row < 0 || row >= s.height || weight == 0) continue;
      const T* from = picture + (row * s.width + cols.first + begin) * C;
      for (int64_t p = 0; p < n; ++p) to[p] += weight * from[p];
    }
    for (int64_t j = 0; j < s.size; ++j)
      for (int64_t c = 0; c < C; ++c) {
        const T* cell = line + j * k * C + c;
        T sum = (1 - cols.part) * cell[0] + cols.part * cell[k * C];
        for (int64_t m = 1; m < k; ++m) sum += cell[m * C];
        y[j * C + c] = sum * share;
      }
  }
}

}  // namespace

template <typename T>
void retina(const RetinaSize& s, const T* x, const T* at, T* y) {
  if (s.scales == 0 || s.numbers() == 0) return;
  const int64_t widest = s.size << (s.scales - 1);
  parallel_ranges(s.B, rows_per_block(widest * widest * s.channels), [&](int64_t begin, int64_t end) {
    Scratch scratch;
    T* line = scratch.take<T>((widest + 1) * s.channels);
    for (int64_t b = begin; b < end; ++b) {
      T* to = y + b * s.numbers();
      if (!std::isfinite(at[2 * b]) || !std::isfinite(at[2 * b + 1])) {
        std::fill_n(to, s.numbers(), T{0});
        continue;
      }
      for (int64_t scale = 0; scale < s.scales; ++scale)
        square(s, x + b * s.height * s.width * s.channels, int64_t{1} << scale,
               static_cast<double>(at[2 * b]), static_cast<double>(at[2 * b + 1]), line,
               to + scale * s.size * s.size * s.channels);
    }
  });
}

template void retina(const RetinaSize&, const float*, const float*, float*);
template void retina(const RetinaSize&, const double*, const double*, double*);

}  // namespace fovea::kernels
