// What an eye sees that looks at a point of a picture (Mnih et al. 2014): squares around the point, each twice as wide as the one before, all
// of them in the same number of cells, so that what is far from the point is seen coarsely.
//
//   y[b, s, i, j] = the mean of x[b] over rows [top + i k, top + (i + 1) k) and columns [left + j k, left + (j + 1) k)
//   k = 2^s,  top = at_y - size k / 2,  left = at_x - size k / 2
//
// Rows and columns are real numbers, pixel p covers [p, p + 1), and a pixel counts by the share of it that lies within: the picture is
// followed smoothly as the point moves. Outside it is 0. A point that is not finite sees 0 alone.
#pragma once

#include <cstdint>

namespace fovea::kernels {

struct RetinaSize {
  int64_t B = 0, height = 0, width = 0, channels = 0;
  int64_t size = 0;    // cells of a side
  int64_t scales = 0;  // squares; the last is size * 2^(scales - 1) pixels wide

  int64_t numbers() const { return scales * size * size * channels; }  // of one point
};

// x [B, height, width, C], at [B, 2] as (x, y) in pixels from the upper left corner -> y [B, scales, size, size, C].
template <typename T>
void retina(const RetinaSize& size, const T* x, const T* at, T* y);

namespace ref {  // plain loops over pixels, sums in double: the oracle
template <typename T>
void retina(const RetinaSize& size, const T* x, const T* at, T* y);
}

}  // namespace fovea::kernels
